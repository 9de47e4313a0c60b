import { createServer } from 'node:net';
import { spawn } from 'node:child_process';

/* FAKE sets its behaviour, LISTEN its address. */
const behaviour = process.env['FAKE'] ?? 'serve';
const [host = '', port = ''] = (process.env['LISTEN'] ?? '127.0.0.1:0').split(':');

if (behaviour === 'bad-config') {
  process.stderr.write('fake: JWT_SECRET is not set\n');
  process.exit(1);
}
if (behaviour !== 'deaf') process.on('SIGTERM', () => process.exit(0));
else process.on('SIGTERM', () => undefined);
process.on('SIGINT', () => undefined);
if (behaviour !== 'deaf') process.on('disconnect', () => process.exit(0));

if (behaviour === 'leaves-child') {
  const left = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
  process.stdout.write(`${JSON.stringify({ left: left.pid })}\n`);
}

if (behaviour !== 'never-ready') {
  const server = createServer();
  server.listen(Number(port), host, () => {
    process.stdout.write(`${JSON.stringify({ msg: 'serving' })}\n`);
    process.send?.({ type: 'ready', listen: `${host}:${port}`, metrics: '' });
  });
} else {
  setInterval(() => undefined, 1_000);
}
