import { connect, type Socket } from 'node:net';

/**
 * Finds lines by text, at minimal cost. The last BENCH_STALLED sockets stop reading once connected. Answers `{type:
 * 'read', …}` on request.
 */
const count = Number(process.env.BENCH_READERS ?? 100);
const stalled = Number(process.env.BENCH_STALLED ?? 0);
const { BENCH_LISTEN: listen = '', BENCH_PATH: path = '/', BENCH_TOKEN: token = '' } = process.env;

export interface Read {
  /** Lines per reader. */
  readonly lines: readonly number[];
  /** From print to receipt, in milliseconds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const lines: number[] = Array.from({ length: count }, () => 0);
const latencies: number[] = [];
const marker = Buffer.from('xxxxxxxxxx"');
let open = 0;

function reader(index: number): void {
  const [host = '', port = ''] = listen.split(':');
  const socket: Socket = connect({ host, port: Number(port) }, () => {
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: ${listen}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
  });
  let isOpen = false;
  let tail: Buffer = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    if (!isOpen) {
      if (!chunk.toString('latin1').startsWith('HTTP/1.1 101')) throw new Error(chunk.toString('latin1').slice(0, 300));
      isOpen = true;
      open += 1;
      if (index >= count - stalled) socket.pause();
      if (open === count) process.send?.({ type: 'open' });
    }
    const bytes = tail.length === 0 ? chunk : Buffer.concat([tail, chunk]);
    let at = bytes.indexOf(marker);
    let end = 0;
    while (at >= 0) {
      lines[index] = (lines[index] ?? 0) + 1;
      end = at + marker.length;
      at = bytes.indexOf(marker, end);
    }
    if (index === 0 && end > 0) recordLatency(bytes.toString('latin1', Math.max(0, end - 200), end));
    tail = bytes.subarray(end);
  });
}

function recordLatency(text: string): void {
  const printedAt = /(\d{13}\.\d\d) x+"$/.exec(text)?.[1];
  if (printedAt !== undefined) latencies.push(performance.timeOrigin + performance.now() - Number(printedAt));
}

process.on('message', () => {
  const sorted = [...latencies].sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0;
  process.send?.({ type: 'read', lines, p50Ms: at(0.5), p99Ms: at(0.99) });
});
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
process.send?.({ type: 'ready' });
for (let index = 0; index < count; index++) reader(index);
