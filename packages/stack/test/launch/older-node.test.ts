import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { waitUntil } from '@panel/kit/testing';

const scripts = fileURLToPath(new URL('../../../../../scripts/', import.meta.url));
/** Prints its Node and ends with 7, at once or at SIGTERM. */
const program = `
  process.on('SIGTERM', () => { console.log('stopping'); process.exit(7); });
  console.log(JSON.stringify({ version: process.version, args: process.argv.slice(2), path: process.env.PATH }));
  if (process.argv[2] === 'wait') setInterval(() => undefined, 1_000); else process.exitCode = 7;`;

/** The registry package's content: a working program. */
const workingNode = `printf '#!/bin/sh\\nexec ${process.execPath} "$@"' > "$bin/node"; chmod 755 "$bin/node"`;

interface Run {
  readonly child: ChildProcess;
  readonly closed: Promise<number | null>;
  readonly output: () => string;
}

describe('scripts on an older Node', function () {
  this.timeout(180_000);
  let root: string;
  let bin: string;

  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'panel-older-node-'));
    bin = path.join(root, 'bin');
    mkdirSync(bin);
    cpSync(scripts, path.join(root, 'scripts'), { recursive: true });
    writeFileSync(path.join(root, 'program.mjs'), program);
    writeFileSync(
      path.join(root, 'older.mjs'),
      "Object.defineProperty(process, 'versions', { value: { node: '20.19.0' } });",
    );
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('continue on the fetched Node with arguments and exit code, and say so in one line', async () => {
    placeNpm(workingNode);
    const { code, lines } = await finish(start(['one', 'two']));
    expect(code).to.equal(7);
    expect(lines).to.have.length(2);
    expect(lines[0]).to.match(/^Node 20\.19\.0 is older than 22\.19: going on with Node 24, /);
    const said = JSON.parse(lines[1] ?? '') as { version: string; args: string[]; path: string };
    expect(said).to.deep.include({ version: process.version, args: ['one', 'two'] });
    expect(said.path.split(path.delimiter)[0]).to.equal(path.join(root, '.cache', 'node-24', 'bin'));
  });

  it('fetch once', async () => {
    placeNpm(workingNode);
    await finish(start());
    await finish(start());
    expect(fetches()).to.have.length(1);
  });

  it('work twice at the same time', async () => {
    placeNpm(`sleep 0.5; ${workingNode}`);
    const runs = await Promise.all([finish(start()), finish(start())]);
    expect(runs.map(({ code }) => code)).to.deep.equal([7, 7]);
    expect(fetches()).to.have.length(2);
    expect(readdirSync(path.join(root, '.cache'))).to.deep.equal(['node-24']);
  });

  for (const [what, node] of [
    ['an interrupted download', `${workingNode}; echo 'network is down' >&2; exit 1`],
    [
      'a program that does not run here',
      `printf '#!/bin/sh\\necho "wrong libc" >&2; exit 1' > "$bin/node"; chmod 755 "$bin/node"`,
    ],
  ] as const) {
    it(`refuses ${what}, and says what to do`, async () => {
      placeNpm(node);
      const { code, lines } = await finish(start());
      expect(code).to.equal(1);
      expect(lines.join('\n'))
        .to.match(/network is down|wrong libc/)
        .and.include('Install Node 24');
      expect(readdirSync(path.join(root, '.cache'))).to.deep.equal([]);
      placeNpm(workingNode);
      expect((await finish(start())).code).to.equal(7);
    });
  }

  it('pass a signal on', async () => {
    placeNpm(workingNode);
    const run = start(['wait']);
    await waitUntil('the version in the output', () => run.output().includes('"version"'));
    run.child.kill('SIGTERM');
    const { code, lines } = await finish(run);
    expect(code).to.equal(7);
    expect(lines.at(-1)).to.equal('stopping');
  });

  const older = olderNode();
  (older === undefined ? it.skip : it)('continue on the Node of the registry, on a really older one', async () => {
    const { code, lines } = await finish(start([], older, []));
    expect(code, lines.join('\n')).to.equal(7);
    expect(lines[1]).to.include('"version":"v24.');
  });

  function placeNpm(body: string): void {
    const text = `#!/bin/sh\necho "$@" >> ${root}/fetches\nfor wanted; do :; done\nbin="$3/node_modules/\${wanted%@*}/bin"\nmkdir -p "$bin"\n${body}\n`;
    writeFileSync(path.join(bin, 'npm'), text, { mode: 0o755 });
  }

  function fetches(): string[] {
    return readFileSync(path.join(root, 'fetches'), 'utf8').trim().split('\n');
  }

  function start(args: string[] = [], node = process.execPath, options = ['--import', './older.mjs']): Run {
    const env = { ...process.env, PATH: [bin, process.env['PATH']].join(path.delimiter) };
    const child = spawn(node, [...options, 'scripts/node.mjs', 'program.mjs', ...args], { cwd: root, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const closed = once(child, 'close').then(([code]) => code as number | null);
    return { child, closed, output: () => output };
  }
});

async function finish({ closed, output }: Run): Promise<{ readonly code: number | null; readonly lines: string[] }> {
  const code = await closed;
  return { code, lines: output().trim().split('\n') };
}

function olderNode(): string | undefined {
  const programs = (process.env['PATH'] ?? '').split(path.delimiter).map((directory) => path.join(directory, 'node'));
  return programs.filter(existsSync).find((file) => {
    const [major = 0] = execFileSync(file, ['--version'], { encoding: 'utf8' }).slice(1).split('.').map(Number);
    return major < 22;
  });
}
