// npm run story: plays a story on a throw-away panel with a test clock. See test/stories.
import './stop-with-npm.mjs';
import { prepare } from './prepare.mjs';

await prepare({ isChecked: true });
await import('../test/stories/dist/main.js');
