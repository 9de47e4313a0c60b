import { builtinModules } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { build } from 'esbuild';

const packageDirectory = fileURLToPath(new URL('../../', import.meta.url));

describe('the browser entry of @panel/client', () => {
  it('bundles for browsers without Node modules and without ws', async () => {
    const { metafile, outputFiles } = await build({
      stdin: { contents: `export * from '@panel/client';`, resolveDir: packageDirectory },
      bundle: true,
      platform: 'browser',
      format: 'esm',
      write: false,
      metafile: true,
    });
    const inputs = Object.keys(metafile.inputs);
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports.map(({ path }) => path));
    expect(inputs).to.include('dist/src/index.js');
    expect(inputs.filter((path) => path.includes('node_modules/'))).to.deep.equal([]);
    expect(imports.filter((path) => path.startsWith('node:') || builtinModules.includes(path))).to.deep.equal([]);
    expect(outputFiles[0]?.text)
      .to.include('createPanelClient')
      .and.not.match(/\b(Buffer|process)\b/);
  });

  it('exports the same names for browsers as for Node', async () => {
    const browser = await import('../src/index.js');
    const node = await import('../src/node.js');
    expect(Object.keys(browser).toSorted()).to.deep.equal(Object.keys(node).toSorted());
  });
});
