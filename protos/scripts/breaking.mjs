// Compares the protos with those of the last release, a tag like v1.2.3. Says so and passes where there is none.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('..', import.meta.url));
const git = (...args) => spawnSync('git', args, { cwd: here, encoding: 'utf8' });

const release = git('describe', '--tags', '--abbrev=0', '--match', 'v*').stdout.trim();
if (release === '') {
  console.log('protos: no release to compare with, breaking check skipped');
  process.exit(0);
}
const root = git('rev-parse', '--show-toplevel').stdout.trim();
const result = spawnSync('buf', ['breaking', '--against', `${root}/.git#ref=${release},subdir=protos`], {
  cwd: here,
  stdio: 'inherit',
});
process.exit(result.status ?? 1);
