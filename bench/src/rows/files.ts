import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServers, type Installation, setNodes, startInstallation } from '../installation/installation.js';
import { ownProgram, startChild } from '../measure/child.js';
import { measuredCore, peakRssMb, pin, rssMb } from '../measure/process.js';
import { alternate, fetchFile, plainStore, sendFiles, speedLine, type Store } from '../measure/stores.js';
import { freePort } from '../measure/free-port.js';
import type { Line, Row } from './row.js';

const sizeMb = 256;
const small = 200;
const largeMb = 1024;
const maxGrowthMb = 64;

/** Files through the gateway and files service, and directly, against a Koa application beside the disk. */
export const files: Row = {
  name: 'files',
  about: `upload and download of ${sizeMb} MB and of ${small} small files, against Koa straight to the disk`,
  run: async () => {
    const listen = `127.0.0.1:${await freePort()}`;
    const installation = await startInstallation({ DIRECT_LISTEN: listen });
    const directory = await mkdtemp(path.join(tmpdir(), 'panel-bench-plain-'));
    const child = await startChild(ownProgram('plain-files'), {
      env: { BENCH_DIRECTORY: directory },
      core: measuredCore,
    });
    try {
      const [id = ''] = await createServers(installation, 1, { diskMb: 8 * largeMb });
      const plain = plainStore(String(child.ready['listen']), child.pid);
      await setNodes(installation, { public_url: null, upload_limit_mb: 2 * largeMb });
      const ours = throughGateway(installation, id);
      const lines = [await memory('through the gateway', installation, ours)];
      const [plainUp, up] = await alternate([plain, ours], sendFiles(1, sizeMb));
      const [plainDown, down] = await alternate([plain, ours], fetchFile(sizeMb));
      const [plainSmall, ourSmall] = await alternate([plain, ours], sendFiles(small, 4 / 1024));
      const who = 'gateway and files';
      lines.push(
        speedLine('upload / Koa to the disk', up, plainUp, { who, floor: 0.6, target: '80 %' }),
        speedLine('download / Koa createReadStream', down, plainDown, { who, floor: 0.4, target: '55 %' }),
        speedLine(`${small} files of 4 KiB, one after the other`, ourSmall, plainSmall, {
          who,
          floor: null,
          target: '',
        }),
      );
      await setNodes(installation, { public_url: `http://${listen}` });
      return [...lines, ...(await direct(installation, id, listen, plain))];
    } finally {
      await child.stop();
      await installation.stop();
      await rm(directory, { recursive: true });
    }
  },
};

async function direct(installation: Installation, id: string, listen: string, plain: Store): Promise<Line[]> {
  const pid = installation.stack.pids()['files'] ?? 0;
  pin(pid, measuredCore);
  const ours = straight(installation, id, listen);
  const lines = [await memory('direct', installation, ours)];
  const [plainUp, up] = await alternate([plain, ours], sendFiles(1, sizeMb));
  const [plainDown, down] = await alternate([plain, ours], fetchFile(sizeMb));
  const who = 'files';
  return [
    ...lines,
    speedLine('direct upload / Koa to the disk', up, plainUp, { who, floor: 0.85, target: '95 %' }),
    speedLine('direct download / Koa createReadStream', down, plainDown, { who, floor: 0.85, target: '95 %' }),
  ];
}

/** Memory growth of the processes by one large file each way. */
async function memory(way: string, { stack }: Installation, store: Store): Promise<Line> {
  const pids = [stack.pids()['gateway'] ?? 0, stack.pids()['files'] ?? 0];
  const before = pids.map(rssMb);
  let grown = pids.map(() => 0);
  const watch = setInterval(() => {
    grown = pids.map((pid, index) => Math.max(grown[index] ?? 0, rssMb(pid) - (before[index] ?? 0)));
  }, 20);
  try {
    await (
      await sendFiles(1, largeMb)(store)
    )();
    await (
      await fetchFile(largeMb)(store)
    )();
  } finally {
    clearInterval(watch);
  }
  const [gateway = 0, service = 0] = grown;
  const sum = gateway + service;
  return {
    name: `memory while 1 GiB passes each way, ${way}`,
    value: `+ ${sum.toFixed(0)} MB`,
    details: `gateway ${gateway.toFixed(0)}, files ${service.toFixed(0)}; files at most ever ${peakRssMb(pids[1] ?? 0).toFixed(0)}`,
    target: `${maxGrowthMb} MB`,
    holds: sum <= maxGrowthMb,
  };
}

function throughGateway({ stack, token }: Installation, id: string): Store {
  const headers = { authorization: `Bearer ${token}` };
  const base = `/api/v1/servers/${id}/files`;
  const upload = { ...headers, 'content-type': 'application/octet-stream' };
  const download = { ...headers, accept: 'application/octet-stream' };
  return {
    listen: new URL(stack.baseUrl).host,
    write: async (name) => ({ method: 'PUT', path: `${base}/write?path=/${name}`, headers: upload }),
    read: async () => ({ method: 'GET', path: `${base}/contents?path=/big`, headers: download }),
    pids: [stack.pids()['gateway'] ?? 0, stack.pids()['files'] ?? 0],
  };
}

/** Addresses from the gateway, bytes to the files service. */
function straight({ client, stack, token }: Installation, id: string, listen: string): Store {
  const tus = { 'tus-resumable': '1.0.0' };
  return {
    listen,
    write: async (name, bytes) => {
      const metadata = `filename ${Buffer.from(name).toString('base64')}`;
      const made = await fetch(`${stack.baseUrl}/api/v1/servers/${id}/files/uploads?directory=/&overwrite=true`, {
        method: 'POST',
        headers: { ...tus, authorization: `Bearer ${token}`, 'upload-length': `${bytes}`, 'upload-metadata': metadata },
      });
      if (made.status !== 201) throw new Error(await made.text());
      const headers = { ...tus, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
      return { method: 'PATCH', path: pathOf(made.headers.get('location')), headers };
    },
    read: async () => {
      const link = await client.get('/servers/{id}/files/download', { params: { id }, query: { path: '/big' } });
      return { method: 'GET', path: pathOf(link.data.url), headers: {} };
    },
    pids: [stack.pids()['files'] ?? 0],
  };
}

function pathOf(address: string | null): string {
  const { pathname, search } = new URL(address ?? '');
  return `${pathname}${search}`;
}
