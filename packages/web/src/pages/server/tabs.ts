// One file for all pages of a server but console and files: they are small, and one request brings them.
import { withMoreTexts } from '../../i18n/more-texts.js';
import { ActivityPage as Activity } from './activity.js';
import { InstallLogPage as InstallLog } from './install-log.js';
import { NetworkPage as Network } from './network.js';
import { SettingsPage as Settings } from './settings.js';
import { StartupPage as Startup } from './startup.js';

export const ActivityPage = withMoreTexts(Activity);
export const InstallLogPage = withMoreTexts(InstallLog);
export const NetworkPage = withMoreTexts(Network);
export const SettingsPage = withMoreTexts(Settings);
export const StartupPage = withMoreTexts(Startup);
