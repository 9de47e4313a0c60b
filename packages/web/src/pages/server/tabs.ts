// One bundle for a server's small pages, all but console and files.
export { ActivityPage } from '../../activity/server-activity.js';
export { InstallLogPage } from '../../console/install-log.js';
export { NetworkPage } from '../../server-settings/network.js';
export { StartupPage } from '../../startup/startup.js';
export { SettingsPage } from './settings-page.js';
