// One bundle: these pages are small.
export { ActivityPage } from '../../activity/server-activity.js';
export { InstallLogPage } from '../../console/install-log.js';
export { NetworkPage } from '../../server-settings/network.js';
export { StartupPage } from '../../startup/startup.js';
export { SettingsPage } from './settings-page.js';
