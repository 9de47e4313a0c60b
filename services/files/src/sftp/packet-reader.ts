import { attributeFlags, malformedError } from './protocol.js';

/** Owners are ignored. */
export interface SentAttributes {
  readonly sizeBytes?: number;
  readonly mode?: number;
  /** Seconds since 1970. */
  readonly times?: { readonly accessed: number; readonly modified: number };
}

/** Throws SFTP_MALFORMED for a short packet. */
export class PacketReader {
  readonly #packet: Buffer;
  #at = 0;

  constructor(packet: Buffer) {
    this.#packet = packet;
  }

  uint8(): number {
    return this.#packet.readUInt8(this.#advance(1));
  }

  uint32(): number {
    return this.#packet.readUInt32BE(this.#advance(4));
  }

  /** Throws SFTP_MALFORMED beyond 2^53. */
  uint64(): number {
    const value = Number(this.#packet.readBigUInt64BE(this.#advance(8)));
    if (!Number.isSafeInteger(value)) throw malformedError();
    return value;
  }

  /** A view into the packet. */
  bytes(): Buffer {
    const length = this.uint32();
    const start = this.#advance(length);
    return this.#packet.subarray(start, start + length);
  }

  text(): string {
    return this.bytes().toString('utf8');
  }

  attributes(): SentAttributes {
    const flags = this.uint32();
    const attributes = {
      ...(flags & attributeFlags.size ? { sizeBytes: this.uint64() } : {}),
      ...(flags & attributeFlags.owner ? this.#skipOwner() : {}),
      ...(flags & attributeFlags.permissions ? { mode: this.uint32() } : {}),
      ...(flags & attributeFlags.times ? { times: { accessed: this.uint32(), modified: this.uint32() } } : {}),
    };
    if ((flags & attributeFlags.extended) !== 0) this.#skipExtended();
    return attributes;
  }

  #skipOwner(): object {
    this.#advance(8);
    return {};
  }

  #skipExtended(): void {
    // the packet bounds a forged count
    for (let count = this.uint32(); count > 0; count -= 1) {
      this.bytes();
      this.bytes();
    }
  }

  #advance(length: number): number {
    const start = this.#at;
    if (start + length > this.#packet.length) throw malformedError();
    this.#at += length;
    return start;
  }
}
