import { createHash, timingSafeEqual } from 'node:crypto';
import { deserialize, serialize } from 'bson';
import { errorDocument, isHandshake } from './commands.js';
import type { Request } from './wire.js';

export const user = 'panel';

/** SASL PLAIN (RFC 4616). Before it only the handshake is answered. */
export class Authentication {
  readonly #expected: Buffer;
  #isDone = false;

  constructor(password: string) {
    this.#expected = digest(user, password);
  }

  /** Undefined: the request may proceed. */
  answer(request: Request): Uint8Array | undefined {
    if (request.command === 'saslStart') return this.#start(request);
    if (this.#isDone || isHandshake(request.command)) return undefined;
    return errorDocument(13, 'Unauthorized', `command ${request.command.slice(0, 64)} requires authentication`);
  }

  #start({ body }: Request): Uint8Array {
    const { mechanism, payload } = deserialize(body, { promoteBuffers: true }) as Record<string, unknown>;
    if (mechanism !== 'PLAIN') return errorDocument(334, 'MechanismUnavailable', 'the only mechanism is PLAIN');
    const [, name = '', password = ''] = Buffer.isBuffer(payload) ? payload.toString('utf8').split('\0') : [];
    if (!timingSafeEqual(digest(name, password), this.#expected))
      return errorDocument(18, 'AuthenticationFailed', 'authentication failed');
    this.#isDone = true;
    return serialize({ conversationId: 1, done: true, payload: Buffer.alloc(0), ok: 1 });
  }
}

function digest(name: string, password: string): Buffer {
  return createHash('sha256').update(`${name}\0${password}`).digest();
}
