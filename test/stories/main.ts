import { messageOf } from '@panel/kit/errors';
import { runStory } from './run-story.js';
import { StoryError } from './scene.js';
import { stories } from './stories/index.js';
import { Timeline } from './timeline.js';

/* npm run story [-- name]: plays a story on a throw-away panel with a test clock. */
const [name] = process.argv.slice(2);
const story = stories.find((one) => one.name === name);
if (!story) {
  for (const { name: known, title } of stories) console.log(`npm run story -- ${known.padEnd(10)} ${title}`);
  process.exit(name === undefined ? 0 : 2);
}
const timeline = new Timeline(
  (line) => console.log(line),
  (line) => console.error(line),
);
try {
  const { violations, seconds } = await runStory(story, timeline);
  for (const violation of violations) console.error(`wrong: ${violation}`);
  if (violations.length > 0) process.exitCode = 1;
  else console.log(`everything agrees, after ${seconds.toFixed(0)} s`);
} catch (error) {
  console.error(error instanceof StoryError ? `not so: ${error.message}` : messageOf(error));
  process.exitCode = 1;
}
