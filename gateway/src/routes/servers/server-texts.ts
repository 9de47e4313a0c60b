import { LRUCache } from 'lru-cache';
import {
  type EncodedServer,
  type GetServerResponse,
  type ListServersResponse,
  Server,
  type ServerVariable,
} from '@panel/protos/servers';
import { required } from '../../declaration/present.js';

/** Presented server. */
export interface ServerText {
  readonly id: string;
  readonly json: Buffer;
}

/** Approximate: about 5,000 typical servers. */
const maxRetainedBytes = 16 * 1024 * 1024;
/** Per text, beside its bytes. */
const overheadBytes = 300;

/** Caches presented servers by the digest of their source, which every response has: no invalidation. */
export class ServerTexts {
  readonly #retained = new LRUCache<string, ServerText>({
    maxSize: maxRetainedBytes,
    sizeCalculation: ({ json }) => json.length + overheadBytes,
  });

  constructor(private readonly present: (server: Server) => object) {}

  /** Response to `asEncoded`. */
  readOne({ encoded }: GetServerResponse): ServerText {
    return this.#read(required(encoded, 'server'), []);
  }

  /** Response to `sharesVariables`. */
  readList({ listed, variables }: ListServersResponse): ServerText[] {
    return listed.map((one) => this.#read(one, variables));
  }

  #read(encoded: EncodedServer, shared: readonly ServerVariable[]): ServerText {
    const known = this.#retained.get(encoded.digest);
    if (known) return known;
    const text = this.#write(decodeServer(encoded, shared));
    this.#retained.set(encoded.digest, text);
    return text;
  }

  #write(server: Server): ServerText {
    return { id: server.id, json: toKeep(JSON.stringify(this.present(server))) };
  }
}

/** Unpooled: a pooled buffer would retain its whole slab. */
function toKeep(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

function decodeServer(encoded: EncodedServer, shared: readonly ServerVariable[]): Server {
  const server = Server.decode(encoded.server);
  const listed = server.variableValues.map(({ variable, serverValue }) => ({
    ...required(shared[encoded.variablesFrom + variable], 'variable'),
    serverValue,
  }));
  return { ...server, variables: [...server.variables, ...listed] };
}
