import { onDemand, serialize } from 'bson';

/** Maximum advertised by `hello` (MongoDB's own limit). */
export const maxMessageBytes = 48_000_000;

const headerBytes = 16;
const opReply = 1;
const opQuery = 2004;
const opMsg = 2013;
const checksumPresent = 1 << 0;
const moreToCome = 1 << 1;
const exhaustAllowed = 1 << 16;
const knownFlags = checksumPresent | moreToCome | exhaustAllowed;
/** The engine does not support them. */
const sessionFields = new Set(['lsid', 'txnNumber', 'startTransaction', 'autocommit']);

/** An unanswerable frame: closes only its connection. */
export class ProtocolError extends Error {}

export interface Request {
  readonly requestId: number;
  /** First key of the command document, e.g. `find`. */
  readonly command: string;
  /** First session field of the command, if any. */
  readonly sessionField: string | undefined;
  /** OP_QUERY, for the first `hello` of a connection; answered by OP_REPLY. */
  readonly legacy: boolean;
  readonly replyWanted: boolean;
  readonly body: Buffer;
  readonly message: Buffer;
}

/** Without repeated copies of large messages. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** Throws ProtocolError for an invalid length. */
  *push(chunk: Buffer): Generator<Buffer> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    while (this.#bytes >= headerBytes) {
      const length = this.#peekLength();
      if (length < headerBytes || length > maxMessageBytes) throw new ProtocolError(`impossible length ${length}`);
      if (this.#bytes < length) return;
      const all = this.#chunks.length === 1 && this.#chunks[0] ? this.#chunks[0] : Buffer.concat(this.#chunks);
      this.#chunks = all.length > length ? [all.subarray(length)] : [];
      this.#bytes = all.length - length;
      yield all.subarray(0, length);
    }
  }

  #peekLength(): number {
    const [first] = this.#chunks;
    if (first && first.length >= 4) return first.readInt32LE(0);
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all.readInt32LE(0);
  }
}

/** Throws ProtocolError. */
export function readRequest(message: Buffer): Request {
  const opCode = message.readInt32LE(12);
  if (opCode === opMsg) return readMsg(message);
  if (opCode === opQuery) return readQuery(message);
  throw new ProtocolError(`unknown operation ${opCode}`);
}

function readMsg(message: Buffer): Request {
  if (message.length < headerBytes + 5) throw new ProtocolError('message without a section');
  const flags = message.readUInt32LE(headerBytes);
  if ((flags & 0xffff & ~knownFlags) !== 0) throw new ProtocolError('unknown required flag');
  const end = message.length - ((flags & checksumPresent) !== 0 ? 4 : 0);
  let body: Buffer | undefined;
  for (let at = headerBytes + 4; at < end;) {
    const kind = message.readUInt8(at);
    const size = sizeAt(message, at + 1, end);
    if (kind === 0) {
      if (body) throw new ProtocolError('two body sections');
      body = message.subarray(at + 1, at + 1 + size);
    } else if (kind !== 1) {
      throw new ProtocolError(`unknown section kind ${kind}`);
    }
    at += 1 + size;
  }
  if (!body) throw new ProtocolError('no body section');
  const replyWanted = (flags & moreToCome) === 0;
  return { requestId: message.readInt32LE(4), ...readCommand(body), legacy: false, replyWanted, body, message };
}

function readQuery(message: Buffer): Request {
  const nameStart = headerBytes + 4;
  const nameEnd = message.indexOf(0, nameStart);
  const at = nameEnd + 1 + 8;
  if (nameEnd < 0 || at + 5 > message.length) throw new ProtocolError('short query');
  if (message.toString('latin1', nameStart, nameEnd) !== 'admin.$cmd') throw new ProtocolError('query of a collection');
  const body = message.subarray(at, at + sizeAt(message, at, message.length));
  return { requestId: message.readInt32LE(4), ...readCommand(body), legacy: true, replyWanted: true, body, message };
}

function sizeAt(message: Buffer, at: number, end: number): number {
  if (at + 5 > end) throw new ProtocolError('section past the end');
  const size = message.readInt32LE(at);
  if (size < 5 || at + size > end) throw new ProtocolError('section past the end');
  return size;
}

function readCommand(body: Buffer): { command: string; sessionField: string | undefined } {
  let command: string | undefined;
  let sessionField: string | undefined;
  try {
    for (const [, nameOffset, nameLength] of onDemand.parseToElements(body)) {
      const name = body.toString('utf8', nameOffset, nameOffset + nameLength);
      command ??= name;
      if (sessionFields.has(name)) sessionField ??= name;
    }
  } catch (error) {
    throw new ProtocolError('malformed command document', { cause: error });
  }
  if (command === undefined) throw new ProtocolError('empty command');
  return { command, sessionField };
}

/** In the request's form. */
export function frameReply(body: Uint8Array, replyId: number, request: Pick<Request, 'requestId' | 'legacy'>): Buffer {
  const head = Buffer.alloc(headerBytes + (request.legacy ? 20 : 5));
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(replyId, 4);
  head.writeInt32LE(request.requestId, 8);
  head.writeInt32LE(request.legacy ? opReply : opMsg, 12);
  // OP_REPLY: flags, cursor id, first, count of documents. OP_MSG: flags, section kind 0.
  if (request.legacy) head.writeInt32LE(1, headerBytes + 16);
  return Buffer.concat([head, body]);
}

export function encodeCommand(database: string, command: Record<string, unknown>): Buffer {
  const body = serialize({ ...command, $db: database });
  return frameReply(body, 1, { requestId: 0, legacy: false });
}
