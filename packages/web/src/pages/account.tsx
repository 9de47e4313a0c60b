import { useI18n } from '../i18n/i18n.js';
import { withTexts } from '../i18n/with-texts.js';
import { resourceTexts } from '../i18n/texts/resources/resources-texts.js';
import { serverTexts } from '../i18n/texts/server/server-texts.js';
import { activityTexts } from '../i18n/texts/activity/activity-texts.js';
import { accountTexts } from '../i18n/texts/account/account-texts.js';
import { TabbedArea, type TabPage } from '../ui/tabs.js';
import { AccountActivity } from '../account/activity.js';
import { ApiKeys } from '../account/api-keys.js';
import { Profile } from '../account/profile.js';
import { Security } from '../account/security.js';
import { Sessions } from '../account/sessions.js';
import { SshKeys } from '../account/ssh-keys.js';

const pages: readonly [TabPage, ...TabPage[]] = [
  { path: '/account', label: 'account.profile', page: <Profile /> },
  { path: '/account/security', label: 'account.security', page: <Security /> },
  { path: '/account/sessions', label: 'account.sessions', page: <Sessions /> },
  { path: '/account/api-keys', label: 'account.api-keys', page: <ApiKeys /> },
  { path: '/account/ssh-keys', label: 'account.ssh-keys', page: <SshKeys /> },
  { path: '/account/activity', label: 'account.activity', page: <AccountActivity /> },
];

export const AccountArea = withTexts([resourceTexts, activityTexts, serverTexts, accountTexts], AccountPages);

function AccountPages() {
  const { t } = useI18n();
  return <TabbedArea title={t('nav.account')} pages={pages} />;
}
