/** A sink: takes whatever is delivered and says so, as an account's own server would. */
import { createServer } from 'node:http';
import { announce } from './child.ts';

announce(
  createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end());
  }),
);
