/** `node:tls` as the service sees it: a greeting, and then the sockets of the simulated network as they are. */
import { type ConnectOptions, connect as connectPlainly, type Socket } from './net.ts';

export function connect(options: ConnectOptions): Socket {
  const socket = connectPlainly(options);
  socket.once('connect', () => socket.emit('secureConnect'));
  return socket;
}
