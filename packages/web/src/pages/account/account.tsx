import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { type Key, useI18n } from '../../i18n/i18n.js';
import { MoreTexts } from '../../i18n/more-texts.js';
import { Page } from '../../parts/page.js';
import { AccountActivity } from './activity.js';
import { ApiKeys } from './api-keys.js';
import { Profile } from './profile.js';
import { Security } from './security.js';
import { Sessions } from './sessions.js';
import { SshKeys } from './ssh-keys.js';

const tabs: readonly { readonly path: string; readonly label: Key }[] = [
  { path: '/account', label: 'account.profile' },
  { path: '/account/security', label: 'account.security' },
  { path: '/account/sessions', label: 'account.sessions' },
  { path: '/account/api-keys', label: 'account.api-keys' },
  { path: '/account/ssh-keys', label: 'account.ssh-keys' },
  { path: '/account/activity', label: 'account.activity' },
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
  const [path] = useLocation();
  return (
    <Page title={t('nav.account')}>
      <nav className="tabs" aria-label={t('nav.account')}>
        {tabs.map((tab) => (
          <Link key={tab.path} to={tab.path} aria-current={path === tab.path ? 'page' : undefined}>
            {t(tab.label)}
          </Link>
        ))}
      </nav>
      <Switch>
        <Route path="/account">
          <Profile />
        </Route>
        <Route path="/account/security">
          <Security />
        </Route>
        <Route path="/account/sessions">
          <Sessions />
        </Route>
        <Route path="/account/api-keys">
          <ApiKeys />
        </Route>
        <Route path="/account/ssh-keys">
          <SshKeys />
        </Route>
        <Route path="/account/activity">
          <AccountActivity />
        </Route>
        <Route>
          <Redirect to="/account" replace />
        </Route>
      </Switch>
    </Page>
  );
}
