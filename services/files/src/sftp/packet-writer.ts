import type { BigIntStats } from 'node:fs';
import { modeText } from '../domain/mode.js';
import type { NamedStats } from './entries.js';
import { attributeFlags, protocolVersion, responseTypes, type StatusCode } from './protocol.js';

/** Length, type, request id and data length. */
export const dataHeadBytes = 13;

export function encodeVersion(extensions: readonly (readonly [string, string])[]): Buffer {
  return packet(responseTypes.version, [
    uint32(protocolVersion),
    ...extensions.flatMap(([name, value]) => [text(name), text(value)]),
  ]);
}

export function encodeStatus(id: number, code: StatusCode, message: string): Buffer {
  return packet(responseTypes.status, [uint32(id), uint32(code), text(message), text('')]);
}

export function encodeHandle(id: number, handle: Buffer): Buffer {
  return packet(responseTypes.handle, [uint32(id), bytes(handle)]);
}

/** `buffer` has data at `dataHeadBytes`. */
export function finishData(id: number, buffer: Buffer, length: number): Buffer {
  buffer.writeUInt32BE(dataHeadBytes - 4 + length, 0);
  buffer.writeUInt8(responseTypes.data, 4);
  buffer.writeUInt32BE(id, 5);
  buffer.writeUInt32BE(length, 9);
  return buffer.subarray(0, dataHeadBytes + length);
}

export function encodeAttributes(id: number, stats: BigIntStats): Buffer {
  return packet(responseTypes.attrs, [uint32(id), attributes(stats)]);
}

export function encodeEntries(id: number, entries: readonly NamedStats[]): Buffer {
  const fields = entries.flatMap((entry) => [text(entry.name), text(longName(entry)), attributes(entry.stats)]);
  return packet(responseTypes.name, [uint32(id), uint32(entries.length), ...fields]);
}

/** Without attributes. */
export function encodePath(id: number, path: string): Buffer {
  return packet(responseTypes.name, [uint32(id), uint32(1), text(path), text(path), uint32(0)]);
}

export function encodeExtendedReply(id: number, numbers: readonly number[]): Buffer {
  const body = Buffer.alloc(numbers.length * 8);
  for (const [i, value] of numbers.entries()) body.writeBigUInt64BE(BigInt(value), i * 8);
  return packet(responseTypes.extendedReply, [uint32(id), body]);
}

function packet(type: number, fields: readonly Buffer[]): Buffer {
  const length = fields.reduce((sum, field) => sum + field.length, 1);
  return Buffer.concat([uint32(length), Buffer.from([type]), ...fields]);
}

function uint32(value: number): Buffer {
  const buffer = Buffer.allocUnsafe(4);
  buffer.writeUInt32BE(value);
  return buffer;
}

function bytes(value: Buffer): Buffer {
  return Buffer.concat([uint32(value.length), value]);
}

function text(value: string): Buffer {
  return bytes(Buffer.from(value));
}

function attributes(stats: BigIntStats): Buffer {
  const { size, owner, permissions, times } = attributeFlags;
  const buffer = Buffer.allocUnsafe(32);
  buffer.writeUInt32BE(size | owner | permissions | times, 0);
  buffer.writeBigUInt64BE(stats.size, 4);
  buffer.writeUInt32BE(Number(stats.uid), 12);
  buffer.writeUInt32BE(Number(stats.gid), 16);
  buffer.writeUInt32BE(Number(stats.mode), 20);
  buffer.writeUInt32BE(seconds(stats.atimeMs), 24);
  buffer.writeUInt32BE(seconds(stats.mtimeMs), 28);
  return buffer;
}

/** The protocol has 32-bit times. */
function seconds(ms: bigint): number {
  return Number(ms < 0n ? 0n : ms / 1000n) % 2 ** 32;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** As `ls -l`; clients display it unchanged. */
function longName({ name, stats }: NamedStats): string {
  const at = stats.mtime;
  const time = `${months[at.getUTCMonth()]} ${String(at.getUTCDate()).padStart(2)}  ${at.getUTCFullYear()}`;
  const owner = `${String(stats.uid).padEnd(8)} ${String(stats.gid).padEnd(8)}`;
  return `${modeText(Number(stats.mode))} ${String(stats.nlink).padStart(4)} ${owner} ${String(stats.size).padStart(8)} ${time} ${name}`;
}
