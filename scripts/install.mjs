// Before `npm run build`, `lint` and `format`: their tools, which `npm start` does not install.
import { install } from './prepare.mjs';

await install({ isChecked: true });
