import { fail } from '../../reasons.js';

/** File system overhead. */
const spareBytes = 64 * 1024 * 1024;
const sparePercent = 5;

/** Throws NODE_DISK_FULL. */
export function requireRoom(bytes: number, freeBytes: number): void {
  const required = bytes + spareBytes + Math.ceil((bytes * sparePercent) / 100);
  if (freeBytes >= required) return;
  const metadata = { required_bytes: required, free_bytes: freeBytes };
  throw fail('NODE_DISK_FULL', 'the node has not enough room on its disk for the files', metadata);
}
