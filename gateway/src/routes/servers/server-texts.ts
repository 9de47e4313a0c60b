import { LRUCache } from 'lru-cache';
import {
  type EncodedServer,
  type GetServerResponse,
  type ListServersResponse,
  Server,
  type ServerVariable,
} from '@panel/protos/servers';
import { required } from '../../declaration/present.js';

/** A server as the API shows it. */
export interface ServerText {
  readonly id: string;
  readonly json: Buffer;
}

/** Bytes of the texts that are kept, about: some 5,000 servers of the usual size. */
const maxKeptBytes = 16 * 1024 * 1024;
/** What a text takes beside its bytes. */
const overheadBytes = 300;

/**
 * Presents servers, each once for as long as it stays as it is. A text is kept under the digest of what it is made of, and
 * every answer says which digest it has now; so there is nothing to invalidate.
 */
export class ServerTexts {
  readonly #kept = new LRUCache<string, ServerText>({
    maxSize: maxKeptBytes,
    sizeCalculation: ({ json }) => json.length + overheadBytes,
  });

  constructor(private readonly present: (server: Server) => object) {}

  /** The server of an answer to a request with `asEncoded`. */
  readOne({ encoded }: GetServerResponse): ServerText {
    return this.#read(required(encoded, 'server'), []);
  }

  /** The servers of an answer to a request with `sharesVariables`. */
  readList({ listed, variables }: ListServersResponse): ServerText[] {
    return listed.map((one) => this.#read(one, variables));
  }

  #read(encoded: EncodedServer, shared: readonly ServerVariable[]): ServerText {
    const known = this.#kept.get(encoded.digest);
    if (known) return known;
    const text = this.#write(decodeServer(encoded, shared));
    this.#kept.set(encoded.digest, text);
    return text;
  }

  #write(server: Server): ServerText {
    return { id: server.id, json: toKeep(JSON.stringify(this.present(server))) };
  }
}

/** Memory of its own: that of small buffers is a part of a larger piece, all of which would be kept with it. */
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
