import { readEgg } from '@panel/stack';
import { imageName } from '@panel/testing/engine';

/** Where the game notes each line of its console. */
export const saidFile = 'said.txt';
export const program = 'game.sh';

/** A full disk delays a line, and does not lose it. */
const script = `#!/bin/sh
echo 'The game is open'
while IFS= read -r line; do
  [ "$line" != quit ] || exit 0
  until printf '%s\\n' "$line" >> ${saidFile}; do sleep 0.2; done
done
sleep 1000000
`;

/** An egg of another game than the demo's: one that notes what it hears. */
export function noteTakingEgg(): string {
  const egg = JSON.parse(readEgg('lantern-caverns')) as {
    readonly config: object;
  };
  const image = `~${imageName}:1`;
  const installation = {
    container: image,
    entrypoint: 'sh',
    script: `set -eu\ncd /mnt/server\ncat > ${program} <<'END_OF_GAME'\n${script}END_OF_GAME\n`,
  };
  return JSON.stringify({
    ...egg,
    name: 'Note taker',
    docker_images: { Shell: image },
    startup: `exec sh ./${program}`,
    config: { ...egg.config, files: '{}', startup: '{"done": "The game is open"}' },
    scripts: { installation },
    variables: [],
  });
}
