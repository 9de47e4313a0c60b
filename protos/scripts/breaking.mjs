// Compares the protos with those of the last release, the latest tag v* that HEAD contains. Says so and passes where there
// is none.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('..', import.meta.url));
const git = (...args) => spawnSync('git', args, { cwd: here, encoding: 'utf8' });

const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*').stdout.trim();
if (tag === '') {
  console.log('protos: no release tag to compare with, breaking check skipped');
  process.exit(0);
}
// The directory of the repository, also from a worktree, whose .git is a file.
const repository = path.resolve(here, git('rev-parse', '--git-common-dir').stdout.trim());
const result = spawnSync('buf', ['breaking', '--against', `${repository}#tag=${tag},subdir=protos`], {
  cwd: here,
  stdio: 'inherit',
});
if (result.status !== 0) console.error(`protos: not compatible with release ${tag}`);
process.exit(result.status ?? 1);
