import { request, type OutgoingHttpHeaders } from 'node:http';
import { type Line, percent } from '../rows/row.js';
import { cpuMs, median } from './process.js';

const chunk = Buffer.alloc(256 * 1024, 'a game world has patterns like this one ');
const rounds = 5;
const megabyte = 1024 * 1024;

/** Target or source of one file. */
interface Address {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
}

/** A file store. `pids`: processes on the path. */
export interface Store {
  readonly listen: string;
  /** Requested before the timed transfer, because some addresses are single-use. */
  readonly write: (name: string, bytes: number) => Promise<Address>;
  readonly read: () => Promise<Address>;
  readonly pids: readonly number[];
}

/** Megabytes a second, and CPU milliseconds per megabyte. */
interface Speed {
  readonly mbPerSecond: number;
  readonly cpuMsPerMb: number;
}

/** One transfer round; only the second step is timed. */
type Move = (store: Store) => Promise<() => Promise<number>>;

/** In alternating order; medians. */
export async function alternate(stores: readonly Store[], prepare: Move): Promise<Speed[]> {
  const all = stores.map((): Speed[] => []);
  for (const store of stores) await (await prepare(store))();
  for (let round = 0; round < rounds; round++) {
    const order = [...stores.entries()];
    for (const [index, store] of round % 2 === 0 ? order : order.reverse()) {
      const cpu = () => store.pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
      const move = await prepare(store);
      const [cpuBefore, begin] = [cpu(), performance.now()];
      const mb = await move();
      const seconds = (performance.now() - begin) / 1_000;
      all[index]?.push({ mbPerSecond: mb / seconds, cpuMsPerMb: (cpu() - cpuBefore) / mb });
    }
  }
  return all.map((speeds) => ({
    mbPerSecond: median(speeds.map((it) => it.mbPerSecond)),
    cpuMsPerMb: median(speeds.map((it) => it.cpuMsPerMb)),
  }));
}

export function sendFiles(count: number, mb: number): Move {
  const bytes = mb * megabyte;
  return async (store) => {
    const addresses: Address[] = [];
    for (let at = 0; at < count; at++) addresses.push(await store.write(count === 1 ? 'big' : `small-${at}`, bytes));
    return async () => {
      for (const address of addresses) await exchange(store.listen, address, bytes);
      return count * mb;
    };
  };
}

export function fetchFile(mb: number): Move {
  return async (store) => {
    const address = await store.read();
    return async () => {
      const received = await exchange(store.listen, address, 0);
      if (received !== mb * megabyte) throw new Error(`${received} bytes came back`);
      return mb;
    };
  };
}

/** Sends so many bytes of the chunk and counts the answer's. */
async function exchange(listen: string, { headers: given, ...address }: Address, bytes: number): Promise<number> {
  const [host, port] = listen.split(':');
  const headers = bytes > 0 ? { 'content-length': bytes, ...given } : given;
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, ...address, headers }, (answer) => {
      const isGood = answer.statusCode === 200 || answer.statusCode === 204;
      let received = 0;
      let said = '';
      answer.on('data', (part: Buffer) => {
        received += part.length;
        if (!isGood) said += part.toString('utf8');
      });
      answer.on('error', reject);
      answer.on('end', () => {
        if (isGood) resolve(received);
        else reject(new Error(`${address.method} ${address.path}: ${said}`));
      });
    });
    sent.on('error', reject);
    let left = bytes;
    const write = () => {
      while (left > 0) {
        const part = chunk.subarray(0, Math.min(left, chunk.length));
        left -= part.length;
        if (!sent.write(part)) break;
      }
      if (left > 0 || sent.writableNeedDrain) sent.once('drain', write);
      else sent.end();
    };
    write();
  });
}

export function plainStore(listen: string, pid: number): Store {
  const headers = { 'content-type': 'application/octet-stream' };
  return {
    listen,
    write: async () => ({ method: 'PUT', path: '/', headers }),
    read: async () => ({ method: 'GET', path: '/', headers: {} }),
    pids: [pid],
  };
}

export function speedLine(
  name: string,
  ours: Speed | undefined,
  plain: Speed | undefined,
  { who, floor, target }: { readonly who: string; readonly floor: number | null; readonly target: string },
): Line {
  if (!ours || !plain) throw new Error('nothing was measured');
  const ratio = ours.mbPerSecond / plain.mbPerSecond;
  const speedText = ({ mbPerSecond, cpuMsPerMb }: Speed) =>
    `${mbPerSecond.toFixed(1)} MB/s, ${cpuMsPerMb.toFixed(1)} ms/MB`;
  return {
    name,
    value: percent(ratio),
    details: `${who} ${speedText(ours)}; Koa ${speedText(plain)}`,
    target: floor === null ? target : `${target} (${percent(floor)})`,
    holds: floor === null ? null : ratio >= floor,
  };
}
