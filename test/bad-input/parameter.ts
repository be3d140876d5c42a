/** Parameters: where a text goes in a request, and the request that is good but for it. */
import type { Kind } from './kind.ts';

export type Surface = 'current' | 'earlier' | 'page';
export type Place = 'path' | 'query' | 'header' | 'body';

/** What a parameter is, and what is sent along so that it alone can be wrong. */
export interface Parameter {
  kind: Kind;
  /** Whether it must be there; a part of the path always must. */
  required?: boolean;
  /** In the query and the path, instead of or beside what the operation always sends. */
  query?: Readonly<Record<string, string>>;
  path?: Readonly<Record<string, string>>;
  /** Members of the body, by their way. */
  body?: Readonly<Record<string, unknown>>;
  /** Names that the answer may give instead: two parameters that do not go together are both wrong. */
  names?: readonly string[];
  /** What it is in JSON; a text where nothing is said. */
  json?: 'text' | 'number' | 'flag' | 'figure or text' | 'list' | 'object';
  /** Whether null stands for nothing at all. */
  nullable?: boolean;
}

export type Parameters = Readonly<Record<string, Parameter | Kind>>;

export interface Operation {
  surface: Surface;
  path?: Parameters;
  query?: Parameters;
  headers?: Parameters;
  /** By their way, such as `wallet.address`. */
  body?: Parameters;
  /** What the query always holds. */
  always?: Readonly<Record<string, string>>;
  /** The good body. */
  sends?: object;
}

/** By method and path, as the document has them. */
export type Table = Readonly<Record<string, Operation>>;

/** What only a running service can give out. */
export interface Live {
  key: string;
  secret: string;
  transactionId: string;
  /** Of a page of one record. */
  cursor: string;
  webhookId: string;
  eventId: string;
  /** Leads to a step that nobody answers. */
  stepToken: string;
}

/** One parameter of one operation. */
export interface Spot {
  at: string;
  operation: Operation;
  place: Place;
  name: string;
  parameter: Parameter;
}

export function spotsOf(table: Table): Spot[] {
  return Object.entries(table).flatMap(([at, operation]) => {
    const { path = {}, query = {}, headers = {}, body = {} } = operation;
    const places: [Place, Parameters][] = [
      ['path', path],
      ['query', query],
      ['header', headers],
      ['body', body],
    ];
    return places.flatMap(([place, parameters]) =>
      Object.entries(parameters).map(([name, given]) => ({
        ...{ at, operation, place, name, parameter: 'good' in given ? { kind: given } : given },
      })),
    );
  });
}
