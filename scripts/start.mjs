// npm start: from any state of a checkout to a running installation. Needs Node and npm only.
import './stop-with-npm.mjs';
import { prepare, say } from './prepare.mjs';

say('Starting the panel');
await prepare({ isChecked: false });
// Compiled a moment ago, so that it cannot be imported before.
const { runLauncher } = await import('../packages/stack/dist/src/main.js');
await runLauncher();
