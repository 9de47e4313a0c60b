import { Command, LogOut, Menu as MenuIcon, SquareTerminal } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Link, useLocation } from 'wouter';
import { useApi } from '../api/context.js';
import { useAccount, useStaffRights } from '../api/queries.js';
import { useI18n } from '../i18n/i18n.js';
import { BrandMark, TestClock } from '../ui/brand.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { useLoadedLater } from '../ui/use-loaded-later.js';
import { useNow } from '../ui/use-now.js';
import { LocaleSelect, ThemeButton } from '../ui/preferences.js';
import { customerPages } from './navigation.js';
import { NavigationLink } from './navigation-link.js';
import { type Overlay, useShortcuts } from './shortcuts.js';

const StaffNavigation = lazy(async () => ({ default: (await import('./staff-navigation.js')).StaffNavigation }));

const loadPalette = async () => (await import('./palette.js')).Palette;
const Palette = lazy(async () => ({ default: await loadPalette() }));

const CallsDialog = lazy(async () => ({ default: (await import('./calls-dialog.js')).CallsDialog }));

const ShortcutsDialog = lazy(async () => ({ default: (await import('./shortcuts-dialog.js')).ShortcutsDialog }));

export function Shell({ children }: { readonly children: ReactNode }) {
  const { t } = useI18n();
  const [path] = useLocation();
  /** The page with the open menu; navigation closes it. */
  const [menuPath, setMenuPath] = useState<string | null>(null);
  const [overlay, setOverlay] = useState<Overlay | null>(null);
  const isFirst = useRef(true);
  useShortcuts(setOverlay);
  useLoadedLater(loadPalette);
  useEffect(() => {
    // The first page keeps the browser's focus.
    if (!isFirst.current && document.activeElement === document.body) document.getElementById('main')?.focus();
    isFirst.current = false;
  }, [path]);
  return (
    <>
      <a className="skip" href="#main">
        {t('nav.skip')}
      </a>
      <TestClock />
      <ConnectionBar />
      <div className="shell">
        <aside className="side">
          <Navigation onOpen={setOverlay} />
        </aside>
        <header className="top">
          <Button kind="quiet" label={t('nav.menu')} icon={<MenuIcon />} onClick={() => setMenuPath(path)} />
          <Brand />
          <Button kind="quiet" label={t('palette.open')} icon={<Command />} onClick={() => setOverlay('palette')} />
        </header>
        {children}
      </div>
      {menuPath === path ? (
        <Dialog title={t('nav.menu')} size="drawer" onClose={() => setMenuPath(null)}>
          <Navigation
            onOpen={(next) => {
              setMenuPath(null);
              setOverlay(next);
            }}
          />
        </Dialog>
      ) : null}
      <Suspense fallback={null}>
        {overlay === 'palette' ? (
          <Palette onClose={() => setOverlay(null)} onCalls={() => setOverlay('calls')} />
        ) : null}
        {overlay === 'calls' ? <CallsDialog onClose={() => setOverlay(null)} /> : null}
        {overlay === 'shortcuts' ? <ShortcutsDialog onClose={() => setOverlay(null)} /> : null}
      </Suspense>
    </>
  );
}

function Brand() {
  return (
    <Link to="/" className="brand">
      <BrandMark />
    </Link>
  );
}

function Navigation({ onOpen }: { readonly onOpen: (overlay: Overlay) => void }) {
  const { t } = useI18n();
  const { session } = useApi();
  const account = useAccount().data;
  const { isStaff } = useStaffRights();
  return (
    <>
      <Brand />
      <nav className="nav" aria-label={t('nav.main')}>
        {customerPages.map((page) => (
          <NavigationLink key={page.to} page={page} />
        ))}
        {isStaff ? (
          <Suspense fallback={null}>
            <StaffNavigation />
          </Suspense>
        ) : null}
      </nav>
      <div className="side-foot">
        <Button icon={<Command />} onClick={() => onOpen('palette')}>
          {t('palette.open')} <kbd>Ctrl K</kbd>
        </Button>
        <div className="row">
          <LocaleSelect />
          <ThemeButton />
          <Button kind="quiet" label={t('nav.calls')} icon={<SquareTerminal />} onClick={() => onOpen('calls')} />
        </div>
        <p className="faint">{account?.email}</p>
        <Button kind="quiet" icon={<LogOut />} onClick={() => void session.signOut()}>
          {t('nav.sign-out')}
        </Button>
      </div>
    </>
  );
}

function ConnectionBar() {
  const { t } = useI18n();
  const api = useApi();
  const waitingUntil = useSyncExternalStore(api.subscribe, () => api.waitingUntil);
  const isOnline = useSyncExternalStore(watchConnection, () => navigator.onLine);
  const now = useNow(waitingUntil === 0 ? null : 1_000);
  const seconds = waitingUntil === 0 ? 0 : Math.ceil((waitingUntil - now) / 1000);
  if (!isOnline)
    return (
      <div className="bar" role="status">
        {t('state.offline')}
      </div>
    );
  if (seconds > 0)
    return (
      <div className="bar" role="status">
        {t('state.rate-limited', { seconds })}
      </div>
    );
  return null;
}

function watchConnection(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}
