import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import Koa from 'koa';

/** The minimal Koa application that stores a file safely with its digest and serves it. */
const file = path.join(process.env.BENCH_DIRECTORY ?? '', 'plain');
const highWaterMark = 256 * 1024;
const app = new Koa();
app.use(async (ctx) => {
  if (ctx.method === 'GET') {
    ctx.type = 'application/octet-stream';
    ctx.body = createReadStream(file, { highWaterMark });
    return;
  }
  const handle = await open(file, 'w');
  const digest = createHash('sha256');
  for await (const chunk of ctx.req as AsyncIterable<Buffer>) {
    digest.update(chunk);
    await handle.write(chunk);
  }
  await handle.sync();
  await handle.close();
  ctx.body = { digest: digest.digest('hex') };
});
const server = app.listen(0, '127.0.0.1', () => {
  const bound = server.address();
  process.send?.({ type: 'ready', listen: `127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}` });
});
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
