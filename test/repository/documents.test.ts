import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { filesBelow, readText, workspaces } from './files.js';
import { root } from './root.js';

const generated = [
  { file: 'docs/configuration.md', script: 'docs-config.mjs' },
  { file: 'docs/rest-api.md', script: 'docs-reasons.mjs' },
];

describe('generated files', () => {
  for (const { file, script } of generated) {
    it(`generates ${file} as it is stored`, () => {
      const args = [path.join('scripts', script), '--check'];
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
      expect(status, stderr).to.equal(0);
    });
  }
});

describe('documents', () => {
  /** Each service and package has a README. */
  const readmes = workspaces().map((name) => path.join(name, 'README.md'));
  const documents = ['README.md', 'CONTRIBUTING.md', ...filesBelow('docs', '.md'), ...readmes];

  for (const document of documents) {
    it(`links to files that exist: ${document}`, () => {
      const links = [...readText(document).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)/g)];
      const targets = links.map(([, target = '']) => path.join(path.dirname(document), target));
      expect(targets.filter((target) => !existsSync(path.join(root, target)))).to.deep.equal([]);
    });
  }

  it('answers at least 25 questions in the table "Where is ...", each with paths that exist', () => {
    const [, section = ''] = readText('docs/architecture.md').split(/^## Where is[^\n]*\n/m);
    const [table = ''] = section.split(/^## /m);
    const rows = table.split('\n').filter((line) => /^\|.*`/.test(line));
    expect(rows).to.have.length.of.at.least(25);
    for (const row of rows) {
      const paths = pathsIn(row.split('|')[2] ?? '');
      expect(paths, row).not.to.deep.equal([]);
      for (const name of paths) expect(existsSync(path.join(root, name)), `${name} of ${row}`).to.equal(true);
    }
  });

  it('names paths that exist in every row of the glossary', () => {
    const rows = readText('docs/glossary.md')
      .split('\n')
      .filter((line) => line.includes('`'));
    expect(rows).to.have.length.of.at.least(40);
    const missing = rows.filter((row) =>
      pathsIn(row.split('|')[3] ?? '').some((name) => !existsSync(path.join(root, name))),
    );
    expect(missing).to.deep.equal([]);
  });

  it('names paths of workspaces that exist', () => {
    const missing = documents.flatMap((document) =>
      pathsIn(readText(document).replaceAll(/```[\s\S]*?```/g, ''))
        .filter((name) =>
          /^(?:bench|docs|examples|gateway|k8s|packages|protos|scripts|services|test)\/[\w./-]+$/.test(name),
        )
        .filter(
          (name) => !existsSync(path.join(root, name)) && !existsSync(path.join(root, path.dirname(document), name)),
        )
        .map((name) => `${document}: ${name}`),
    );
    expect(missing).to.deep.equal([]);
  });

  it('names folders that exist in the READMEs of services and packages', () => {
    const missing = readmes.flatMap((document) => {
      const folder = path.dirname(document);
      return pathsIn(readText(document).replaceAll(/```[\s\S]*?```/g, ''))
        .filter((name) => /^[\w-]+\/(?:[\w.-]+\/?)*$/.test(name))
        .filter((name) => ['', 'src'].every((parent) => !existsSync(path.join(root, folder, parent, name))))
        .filter((name) => !existsSync(path.join(root, name)) && !name.startsWith('test-results/'))
        .map((name) => `${document}: ${name}`);
    });
    expect(missing).to.deep.equal([]);
  });

  it('lists changes by kind, each in one line', () => {
    const [head, ...releases] = readText('CHANGELOG.md').split(/^## /m);
    expect(head).to.equal('# Changelog\n\n');
    expect(releases).to.have.length.of.at.least(1);
    for (const release of releases) {
      const [name = '', ...kinds] = release.split(/^### /m);
      expect(name.trim(), release).to.match(/^(?:Unreleased|\d+\.\d+\.\d+)/);
      for (const kind of kinds) {
        expect(kind.trim(), name).to.match(/^(?:Added|Changed|Fixed|Removed|Security)\n\n(?:- [^\n]+(?:\n|$))+$/);
      }
    }
  });
});

/** What stands in backticks. */
function pathsIn(text: string): string[] {
  return [...text.matchAll(/`([^`\s]+)`/g)].map(([, name = '']) => name);
}
