import { lazy, Suspense } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { useSessionState } from '../net/context.js';
import { ServersPage } from '../pages/servers.js';
import { SignInPage } from '../pages/sign-in.js';
import { NotFoundPage } from '../pages/not-found.js';
import { Skeleton } from '../parts/states.js';
import { ErrorBoundary } from './error-boundary.js';
import { Shell } from './shell.js';

const ServerArea = lazy(async () => ({ default: (await import('../pages/server/server.js')).ServerArea }));
const AccountArea = lazy(async () => ({ default: (await import('../pages/account/account.js')).AccountArea }));

/** The page for the address, or the sign-in page. */
export function App() {
  const state = useSessionState();
  if (state === 'unknown') {
    return (
      <div className="centre">
        <Skeleton rows={1} />
      </div>
    );
  }
  if (state === 'signed-out') return <SignInPage />;
  return (
    <Shell>
      <ErrorBoundary>
        <Suspense
          fallback={
            <main className="page" id="main">
              <Skeleton rows={6} />
            </main>
          }
        >
          <Switch>
            <Route path="/">
              <ServersPage />
            </Route>
            <Route path="/servers/:id/*?">{({ id }) => <ServerArea id={id} key={id} />}</Route>
            <Route path="/servers">
              <Redirect to="/" replace />
            </Route>
            <Route path="/account/*?">
              <AccountArea />
            </Route>
            <Route>
              <NotFoundPage />
            </Route>
          </Switch>
        </Suspense>
      </ErrorBoundary>
    </Shell>
  );
}
