import { Connection } from './connection.js';
import type { LoadJob, LoadRequest, LoadResult } from './job.js';
import { type Encoded, OpenLoop } from './open-loop.js';
import { Recorder } from './recorder.js';

export async function runJob(job: LoadJob): Promise<LoadResult> {
  const encoded = job.requests.map((request): Encoded => ({ bytes: encode(job.listen, request), kind: request.kind }));
  const draw = () => encoded[Math.floor(Math.random() * encoded.length)] ?? { bytes: Buffer.alloc(0), kind: undefined };
  const { listen, seconds, rate } = job;
  return rate === undefined ? closedLoop(job, draw) : new OpenLoop(listen, rate, seconds, draw).run();
}

async function closedLoop(job: LoadJob, draw: () => Encoded): Promise<LoadResult> {
  const recorder = new Recorder();
  const end = performance.now() + job.seconds * 1_000;
  let open = job.connections;
  await new Promise<void>((resolve) => {
    const send = (connection: Connection) => {
      const { bytes, kind } = draw();
      const sentAt = performance.now();
      connection.send(bytes, (status) => {
        recorder.add(performance.now() - sentAt, status, kind);
        if (performance.now() < end || recorder.count < job.atLeast) return send(connection);
        connection.close();
        open -= 1;
        if (open === 0) resolve();
      });
    };
    for (let index = 0; index < job.connections; index++) send(new Connection(job.listen));
  });
  return recorder.result();
}

function encode(listen: string, { method = 'GET', path, headers = {}, body = '' }: LoadRequest): Buffer {
  const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries({ host: listen, connection: 'keep-alive', ...headers, ...length });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${head}\r\n${body}`);
}
