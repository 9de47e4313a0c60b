// Compares the protos with those of the main branch. Says so and passes where there is nothing to compare with (a fresh
// clone without history, or the very first commit).
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('..', import.meta.url));
const git = (...args) => spawnSync('git', args, { cwd: here, encoding: 'utf8' });

const base = ['origin/main', 'main'].find((ref) => git('cat-file', '-e', `${ref}:protos/buf.yaml`).status === 0);
if (!base) {
  console.log('protos: no main branch to compare with, breaking check skipped');
  process.exit(0);
}
const commit = git('merge-base', base, 'HEAD').stdout.trim() || base;
const root = git('rev-parse', '--show-toplevel').stdout.trim();
const result = spawnSync('buf', ['breaking', '--against', `${root}/.git#ref=${commit},subdir=protos`], {
  cwd: here,
  stdio: 'inherit',
});
process.exit(result.status ?? 1);
