import { useI18n } from '../../i18n/i18n.js';
import { MoreTexts } from '../../i18n/more-texts.js';
import { TabbedArea, type TabPage } from '../../parts/tabs.js';
import { AccountActivity } from './activity.js';
import { ApiKeys } from './api-keys.js';
import { Profile } from './profile.js';
import { Security } from './security.js';
import { Sessions } from './sessions.js';
import { SshKeys } from './ssh-keys.js';

const pages: readonly [TabPage, ...TabPage[]] = [
  { path: '/account', label: 'account.profile', page: <Profile /> },
  { path: '/account/security', label: 'account.security', page: <Security /> },
  { path: '/account/sessions', label: 'account.sessions', page: <Sessions /> },
  { path: '/account/api-keys', label: 'account.api-keys', page: <ApiKeys /> },
  { path: '/account/ssh-keys', label: 'account.ssh-keys', page: <SshKeys /> },
  { path: '/account/activity', label: 'account.activity', page: <AccountActivity /> },
];

export function AccountArea() {
  return (
    <MoreTexts>
      <AccountPages />
    </MoreTexts>
  );
}

function AccountPages() {
  const { t } = useI18n();
  return <TabbedArea title={t('nav.account')} pages={pages} />;
}
