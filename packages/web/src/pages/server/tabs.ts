// One file for all pages of a server but console and files: they are small, and one request brings them.
export { ActivityPage } from '../../activity/server-activity.js';
export { InstallLogPage } from '../../console/install-log.js';
export { NetworkPage } from '../../server-settings/network.js';
export { StartupPage } from '../../startup/startup.js';
export { SettingsPage } from './settings-page.js';
