import { type ReactNode, useEffect, useRef } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { type Key, useI18n } from '../i18n/i18n.js';
import { Page } from './page.js';

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly { readonly to: string; readonly label: Key; readonly isExact?: boolean }[];
}

/** A non-exact tab covers all addresses below its own. */
export function Tabs({ label, tabs }: TabsProps) {
  const { t } = useI18n();
  const [path] = useLocation();
  const isHere = (to: string, isExact = false): boolean => path === to || (!isExact && path.startsWith(`${to}/`));
  const frame = useRef<HTMLElement>(null);
  useEffect(() => {
    const here = frame.current?.querySelector('[aria-current]')?.getBoundingClientRect();
    const seen = frame.current?.getBoundingClientRect();
    // Scrolls only the tabs; left is negative in both text directions.
    if (here && seen) frame.current?.scrollBy(here.left + here.width / 2 - seen.left - seen.width / 2, 0);
  }, [path]);
  return (
    <nav ref={frame} className="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <Link key={tab.to} to={tab.to} aria-current={isHere(tab.to, tab.isExact) ? 'page' : undefined}>
          {t(tab.label)}
        </Link>
      ))}
    </nav>
  );
}

export interface TabPage {
  readonly path: string;
  readonly label: Key;
  readonly page: ReactNode;
}

interface TabbedAreaProps {
  readonly title: string;
  readonly pages: readonly [TabPage, ...TabPage[]];
}

/** Unknown addresses show the first. */
export function TabbedArea({ title, pages }: TabbedAreaProps) {
  return (
    <Page title={title}>
      <Tabs label={title} tabs={pages.map(({ path, label }) => ({ to: path, label, isExact: true }))} />
      <Switch>
        {pages.map(({ path, page }) => (
          <Route key={path} path={path}>
            {page}
          </Route>
        ))}
        <Route>
          <Redirect to={pages[0].path} replace />
        </Route>
      </Switch>
    </Page>
  );
}
