// One file for all pages of a server but console and files: they are small, and one request brings them.
export { ActivityPage } from './activity.js';
export { InstallLogPage } from './install-log.js';
export { NetworkPage } from './network.js';
export { SettingsPage } from './settings.js';
export { StartupPage } from './startup.js';
