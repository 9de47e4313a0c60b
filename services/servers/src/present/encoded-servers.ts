import { hash } from 'node:crypto';
import {
  type EncodedServer,
  Server as ServerMessage,
  type ServerVariable,
  type VariableValue,
} from '@panel/protos/servers';
import type { EggVariable } from '../domain/eggs/egg.js';
import { effectiveValues } from '../domain/servers/environment.js';
import { isEngineReported, type ServerView } from '../domain/servers/server.js';
import type { VisibleServer } from '../usecases/servers/view-server.js';
import { presentDamagedServer, presentServer, presentVariable, visibleVariables } from './server.js';

/** Shared, without values. */
interface SharedVariables {
  readonly variables: readonly ServerVariable[];
  readonly digest: string;
}

interface Encoded {
  readonly server: Buffer;
  readonly digest: string;
  readonly shared: SharedVariables;
}

/** Kept variants per server; usually owner and staff. */
const maxRetainedWays = 6;

const noVariables: SharedVariables = { variables: [], digest: digestOf('') };

/** Caches encodings by view object, which the store keeps until the document changes. */
export class ServerEncoder {
  readonly #encoded = new WeakMap<ServerView, Map<string, Encoded>>();
  readonly #ofUsers = new WeakMap<readonly EggVariable[], SharedVariables>();
  readonly #ofStaff = new WeakMap<readonly EggVariable[], SharedVariables>();

  whole(visible: VisibleServer): EncodedServer {
    return { ...this.#once('whole', visible, (one) => this.#encodeWhole(one)), variablesFrom: 0 };
  }

  /** For lists: only values of its variables. */
  listed(visible: VisibleServer): Encoded {
    return this.#once('listed', visible, (one) => this.#encodeListed(one));
  }

  #once(form: string, visible: VisibleServer, encode: (visible: VisibleServer) => Encoded): Encoded {
    const { server } = visible;
    const ways = this.#encoded.get(server) ?? new Map<string, Encoded>();
    const way = `${form} ${viewerKind(visible)}`;
    const known = ways.get(way);
    if (known) return known;
    const encoded = encode(visible);
    if (ways.size >= maxRetainedWays) ways.clear();
    this.#encoded.set(server, ways.set(way, encoded));
    return encoded;
  }

  #encodeWhole(visible: VisibleServer): Encoded {
    return encode(presentServer(visible), noVariables);
  }

  #encodeListed(visible: VisibleServer): Encoded {
    const { server, asStaff } = visible;
    const shown = visibleVariables(visible);
    const listed = presentServer(visible, { withoutCommands: !asStaff, withoutVariables: true });
    const message = { ...listed, variableValues: valuesOf(server, shown) };
    return encode(message, shown.length === 0 ? noVariables : this.#share(server.egg.variables, shown, asStaff));
  }

  /** `all` is one object for all servers of an egg. */
  #share(all: readonly EggVariable[], shown: readonly EggVariable[], asStaff: boolean): SharedVariables {
    const retained = asStaff ? this.#ofStaff : this.#ofUsers;
    const known = retained.get(all);
    if (known) return known;
    const variables = shown.map((variable) => presentVariable(variable, '', asStaff));
    const shared = { variables, digest: digestOf(JSON.stringify(variables)) };
    retained.set(all, shared);
    return shared;
  }
}

/** Of one response. */
export class ListedServers {
  /** Shared ones, once each. */
  readonly variables: ServerVariable[] = [];
  readonly #from = new Map<SharedVariables, number>();

  constructor(private readonly encoder: ServerEncoder) {}

  add(visible: VisibleServer): EncodedServer {
    const { server, digest, shared } = this.encoder.listed(visible);
    return { server, digest, variablesFrom: this.#place(shared) };
  }

  addDamaged(server: ServerView): EncodedServer {
    return { ...encode(presentDamagedServer(server), noVariables), variablesFrom: 0 };
  }

  #place(shared: SharedVariables): number {
    const known = this.#from.get(shared);
    if (known !== undefined) return known;
    const from = this.variables.length;
    this.variables.push(...shared.variables);
    this.#from.set(shared, from);
    return from;
  }
}

/** Equal for equal servers in the same order, on every replica. */
export function digestOfPage(listed: readonly EncodedServer[]): string {
  return digestOf(listed.map(({ digest }) => digest).join(' '));
}

/** Everything besides the server that affects `presentServer`. */
function viewerKind({ server, access, asStaff, isNodeOnline }: VisibleServer): string {
  const isReached = isEngineReported(server.status) && isNodeOnline;
  return `${asStaff} ${access.isOwner} ${isReached} ${access.permissions.join(' ')}`;
}

function valuesOf({ egg, environment }: ServerView, shown: readonly EggVariable[]): VariableValue[] {
  const values = effectiveValues(egg.variables, environment);
  return shown.map(({ envVariable }, variable) => ({ variable, serverValue: values[envVariable] ?? '' }));
}

function encode(message: ServerMessage, shared: SharedVariables): Encoded {
  const bytes = ServerMessage.encode(message).finish();
  // No copy: a small Buffer would retain its whole pool.
  const server = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { server, digest: digestOf(Buffer.concat([Buffer.from(shared.digest), server])), shared };
}

function digestOf(content: Buffer | string): string {
  return hash('sha256', content, 'base64');
}
