import { mkdtemp, rm } from 'node:fs/promises';
import { request, type OutgoingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServers, startInstallation } from '../installation/installation.js';
import { ownProgram, startChild } from '../measure/child.js';
import { cpuMs, measuredCore, median, peakRssMb, rssMb } from '../measure/process.js';
import { type Line, percent, type Row } from './row.js';

const sizeMb = 256;
const chunk = Buffer.alloc(256 * 1024, 'a game world has patterns like this one ');
const rounds = 5;
const small = 200;

/** Where bytes are sent and fetched. `pids` are the processes they pass through. */
interface Store {
  readonly listen: string;
  readonly write: string;
  readonly read: string;
  readonly headers: OutgoingHttpHeaders;
  readonly pids: readonly number[];
}

/** Megabytes a second, and milliseconds of CPU for each of them. */
interface Speed {
  readonly mbPerSecond: number;
  readonly cpuMsPerMb: number;
}

/** Files through the gateway and the files service, against a Koa application beside the disk. */
export const files: Row = {
  name: 'files',
  about: `upload and download of ${sizeMb} MB and of ${small} small files, against Koa straight to the disk`,
  run: async () => {
    const installation = await startInstallation();
    const directory = await mkdtemp(path.join(tmpdir(), 'panel-bench-plain-'));
    const child = await startChild(ownProgram('plain-files'), {
      env: { BENCH_DIRECTORY: directory },
      core: measuredCore,
    });
    try {
      const [id = ''] = await createServers(installation, 1, { diskMb: 4 * sizeMb });
      const { stack, token, client } = installation;
      const { data: nodes } = await client.get('/admin/nodes');
      for (const { id: node } of nodes)
        await client.put('/admin/nodes/{id}', { params: { id: node }, body: { upload_limit_mb: 2 * sizeMb } });
      const base = `/api/v1/servers/${id}/files`;
      const pids = [stack.pids()['gateway'] ?? 0, stack.pids()['files'] ?? 0];
      const headers = { authorization: `Bearer ${token}` };
      const listen = new URL(stack.baseUrl).host;
      const ours: Store = {
        listen,
        write: `${base}/write?path=/big`,
        read: `${base}/contents?path=/big`,
        headers,
        pids,
      };
      const plain: Store = {
        listen: String(child.ready['listen']),
        write: '/',
        read: '/',
        headers: {},
        pids: [child.pid],
      };
      const memoryBefore = pids.map(rssMb);
      const [plainUp, up] = await alternate([plain, ours], async (store) => send(store, sizeMb));
      const [plainDown, down] = await alternate([plain, ours], async (store) => fetchAll(store));
      const [plainSmall, ourSmall] = await alternate([plain, ours], async (store) => sendMany(store));
      const grown = pids.map((pid, index) => peakRssMb(pid) - (memoryBefore[index] ?? 0));
      return [
        {
          name: 'memory while files pass, at its peak',
          value: `+ ${Math.max(...grown).toFixed(0)} MB`,
          details: `gateway ${grown[0]?.toFixed(0)}, files ${grown[1]?.toFixed(0)}; ${rounds + 1} files of ${sizeMb} MB each way`,
          target: `less than a file`,
          holds: Math.max(...grown) < sizeMb,
        },
        line('upload / Koa to the disk', up, plainUp, { floor: 0.6, target: '80 %' }),
        line('download / Koa createReadStream', down, plainDown, { floor: 0.4, target: '55 %' }),
        {
          ...line(`${small} files of 4 KiB, one after the other`, ourSmall, plainSmall, { floor: 0, target: '' }),
          holds: null,
          target: '',
        },
      ];
    } finally {
      await child.stop();
      await installation.stop();
      await rm(directory, { recursive: true });
    }
  },
};

/** Each in turn, there and back; medians. */
async function alternate(stores: readonly Store[], move: (store: Store) => Promise<number>): Promise<Speed[]> {
  const all = stores.map((): Speed[] => []);
  for (const store of stores) await move(store);
  for (let round = 0; round < rounds; round++) {
    const order = [...stores.entries()];
    for (const [index, store] of round % 2 === 0 ? order : order.reverse()) {
      const cpu = () => store.pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
      const [cpuBefore, begin] = [cpu(), performance.now()];
      const mb = await move(store);
      const seconds = (performance.now() - begin) / 1_000;
      all[index]?.push({ mbPerSecond: mb / seconds, cpuMsPerMb: (cpu() - cpuBefore) / mb });
    }
  }
  return all.map((speeds) => ({
    mbPerSecond: median(speeds.map((it) => it.mbPerSecond)),
    cpuMsPerMb: median(speeds.map((it) => it.cpuMsPerMb)),
  }));
}

async function send(store: Store, mb: number): Promise<number> {
  const bytes = mb * 1024 * 1024;
  const headers = { ...store.headers, 'content-type': 'application/octet-stream', 'content-length': bytes };
  await exchange(store, { method: 'PUT', path: store.write, headers }, bytes);
  return mb;
}

async function sendMany(store: Store): Promise<number> {
  for (let count = 0; count < small; count++) await send({ ...store, write: `${store.write}-${count}` }, 4 / 1024);
  return (small * 4) / 1024;
}

async function fetchAll(store: Store): Promise<number> {
  const headers = { ...store.headers, accept: 'application/octet-stream' };
  const received = await exchange(store, { method: 'GET', path: store.read, headers }, 0);
  if (received !== sizeMb * 1024 * 1024) throw new Error(`${received} bytes came back`);
  return sizeMb;
}

/** Send so many bytes of the chunk, and count those of the answer. */
async function exchange(
  { listen }: Store,
  options: { readonly method: string; readonly path: string; readonly headers: OutgoingHttpHeaders },
  bytes: number,
): Promise<number> {
  const [host, port] = listen.split(':');
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, ...options }, (answer) => {
      let received = 0;
      let said = '';
      answer.on('data', (part: Buffer) => {
        received += part.length;
        if (answer.statusCode !== 200) said += part.toString('utf8');
      });
      answer.on('error', reject);
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(received);
        else reject(new Error(`${options.method} ${options.path}: ${said}`));
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

function line(
  name: string,
  ours: Speed | undefined,
  plain: Speed | undefined,
  { floor, target }: { readonly floor: number; readonly target: string },
): Line {
  if (!ours || !plain) throw new Error('nothing was measured');
  const ratio = ours.mbPerSecond / plain.mbPerSecond;
  const told = ({ mbPerSecond, cpuMsPerMb }: Speed) => `${mbPerSecond.toFixed(1)} MB/s, ${cpuMsPerMb.toFixed(1)} ms/MB`;
  return {
    name,
    value: percent(ratio),
    details: `gateway and files ${told(ours)}; Koa ${told(plain)}`,
    target: `${target} (${percent(floor)})`,
    holds: ratio >= floor,
  };
}
