import { createServer, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { brotliCompressSync } from 'node:zlib';
import { type WebSocket, WebSocketServer } from 'ws';
import { readSite, siteDirectory } from '../../../gateway/dist/src/site/read-site.js';

/**
 * The same lines for xterm.js in a plain page at /xterm. The game prints BENCH_LINES lines of 100 bytes a second from
 * POST /begin to POST /end.
 */
const linesPerSecond = Number(process.env.BENCH_LINES ?? 10_000);
const tickMs = 10;
const historyLines = 150;
/** As the gateway, for slow readers. */
const maxUnsentBytes = 4 * 1024 * 1024;

const require = createRequire(import.meta.url);
const site = await readSite(siteDirectory());
if (!site) throw new Error('the web console is not built');

const meta = { current_page: 1, per_page: 50, total: 0, total_pages: 1 };
const server = {
  id: 'bench',
  uuid_short: 'bench',
  name: 'Bench',
  description: '',
  status: 'running',
  suspended: false,
  is_owner: true,
  permissions: ['*'],
  operation: null,
  allocation: { ip: '127.0.0.1', alias: null, port: 25_565 },
  node: { name: 'local' },
  egg: { name: 'Bench' },
  limits: { memory: 1024, disk: 1024, cpu: 100 },
};
const account = { id: 'me', email: 'me@panel.test', username: 'me', first_name: '', last_name: '' };
const answers: Readonly<Record<string, unknown>> = {
  'POST /api/v1/browser/refresh': { data: { access_token: 'bench', expires_in: 900 } },
  'GET /api/v1/account': { data: { ...account, role: { id: 'user', name: 'user' } } },
  'GET /api/v1/account/preferences': { data: {} },
  'GET /api/v1/servers/bench': { data: server },
  'GET /api/v1/servers/bench/activity': { data: [], meta },
};

const plainPage = `<!doctype html><title>xterm.js</title><link rel="stylesheet" href="/xterm.css">
<div id="lines" style="height: 60vh"></div><input id="prompt"><script src="/xterm.js"></script><script>
const term = new Terminal({ scrollback: 100000, disableStdin: true, cols: 160, rows: 40 });
term.open(document.getElementById('lines'));
new WebSocket('ws://' + location.host + '/ws').onmessage = ({ data }) => {
  const message = JSON.parse(data);
  if (message.type === 'console_output') term.write(message.message + '\\r\\n');
};
</script>`;
const packed = async (name: string) => brotliCompressSync(await readFile(require.resolve(name)));
const xterm = new Map([
  ['/xterm', { type: 'text/html', body: brotliCompressSync(plainPage) }],
  ['/xterm.js', { type: 'text/javascript', body: await packed('@xterm/xterm/lib/xterm.js') }],
  ['/xterm.css', { type: 'text/css', body: await packed('@xterm/xterm/css/xterm.css') }],
]);

let timer: NodeJS.Timeout | undefined;
let sequence = 0;
let closed = 0;
const sockets = new Set<WebSocket>();

function frame(): string {
  sequence += 1;
  const message = `[12:00:00 \u001b[32mINFO\u001b[0m]: line ${sequence} `.padEnd(100, 'x');
  return JSON.stringify({ type: 'console_output', message, at: new Date().toISOString(), seq: sequence });
}

function begin(): void {
  const begunAt = performance.now();
  let printed = 0;
  timer = setInterval(() => {
    const due = Math.floor(((performance.now() - begunAt) * linesPerSecond) / 1_000);
    const frames = Array.from({ length: Math.min(due - printed, 2_000) }, frame);
    printed += frames.length;
    for (const socket of sockets) {
      if (socket.bufferedAmount > maxUnsentBytes) {
        closed += 1;
        socket.close(1013);
        sockets.delete(socket);
      } else for (const text of frames) socket.send(text);
    }
  }, tickMs);
}

function send(response: ServerResponse, type: string, body: Buffer | string, encoding?: string): void {
  response.setHeader('content-type', type);
  if (type !== 'text/html' && type !== 'application/json') response.setHeader('cache-control', 'max-age=31536000');
  if (encoding !== undefined) response.setHeader('content-encoding', encoding);
  response.end(body);
}

const http = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://bench');
  const name = `${request.method} ${pathname}`;
  const known = xterm.get(pathname);
  const file = site.files.get(pathname);
  if (name === 'POST /begin') begin();
  if (name === 'POST /end') clearInterval(timer);
  if (name === 'POST /begin' || name === 'POST /end')
    send(response, 'application/json', JSON.stringify({ sequence, closed }));
  else if (answers[name] !== undefined) send(response, 'application/json', JSON.stringify(answers[name]));
  else if (known) send(response, known.type, known.body, 'br');
  else if (file) send(response, file.type, file.brotli ?? file.plain, file.brotli ? 'br' : undefined);
  else if (pathname.startsWith('/api/')) {
    response.statusCode = 404;
    send(response, 'application/json', JSON.stringify({ error: { code: 'not_found', message: name } }));
  } else send(response, 'text/html', site.index.brotli ?? site.index.plain, site.index.brotli ? 'br' : undefined);
});
const wss = new WebSocketServer({ server: http, perMessageDeflate: false, handleProtocols: () => 'bearer' });
wss.on('connection', (socket) => {
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  socket.send(JSON.stringify({ type: 'status', status: 'running' }));
  for (let line = 0; line < historyLines; line++) socket.send(frame());
});
http.listen(0, '127.0.0.1', () => {
  const address = http.address();
  process.send?.({ type: 'ready', url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` });
});
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
