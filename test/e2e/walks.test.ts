import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));

interface Bounds {
  readonly excessOf: (
    bound: { readonly line: string; readonly files: number; readonly calls: number },
    counted: { readonly status: number; readonly files: number; readonly calls: number },
  ) => string[];
}

describe('npm run walk', function () {
  this.timeout(300_000);

  it('counts no more files and gRPC calls of a request than its bound', async () => {
    const env = { PATH: process.env.PATH };
    const { stdout } = await run(process.execPath, ['bench/dist/walk/main.js'], { cwd: root, env });
    expect(stdout).to.match(/^PUT \/servers\/\{id\}\/startup: \d\d of \d\d files, 1 of 1 gRPC calls$/m);
    expect(stdout).to.match(/^PUT \/servers\/\{id\}\/files\/write\S*: \d+ of \d+ files, 2 of 2 gRPC calls$/m);
  });

  it('reports files, calls and refusals of a request beyond its bound', async () => {
    const { excessOf } = (await import(`file://${root}bench/dist/walk/bounds.js`)) as Bounds;
    const bound = { line: 'GET /', files: 10, calls: 1 };
    expect(excessOf(bound, { status: 200, files: 10, calls: 1 })).to.deep.equal([]);
    expect(excessOf(bound, { status: 404, files: 11, calls: 2 })).to.deep.equal([
      'GET /: answered 404',
      'GET /: 11 files, bound 10',
      'GET /: 2 gRPC calls, bound 1',
    ]);
  });
});
