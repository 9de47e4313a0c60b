import { lazy, Suspense } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { useSessionProblem, useSessionState, useSessionUser } from '../api/context.js';
import { NotFoundPage } from '../ui/not-found.js';
import { ErrorNote, Skeleton } from '../ui/states.js';
import { ErrorBoundary } from './error-boundary.js';
import { AccountArea, BillingArea, ServerArea, ServersPage, StaffArea, StoreArea, ConsolesPage } from './pages.js';
import { Shell } from './shell.js';

const SignInDialog = lazy(async () => ({ default: (await import('../pages/sign-in.js')).SignInDialog }));

const SignInPage = lazy(async () => ({ default: (await import('../pages/sign-in.js')).SignInPage }));

/** The outer boundary is for what is beside a page: the sign-in, the menu, dialogs of the shell. */
export function App() {
  return (
    <ErrorBoundary>
      <Pages />
    </ErrorBoundary>
  );
}

function Pages() {
  const state = useSessionState();
  const userId = useSessionUser();
  const { problem, retry } = useSessionProblem();
  if (state === 'unknown') {
    return (
      <div className="centre">{problem ? <ErrorNote error={problem} onRetry={retry} /> : <Skeleton rows={1} />}</div>
    );
  }
  if (state === 'signed-out') {
    return (
      <Suspense fallback={null}>
        <SignInPage />
      </Suspense>
    );
  }
  return (
    // Another user gets a page of their own.
    <Shell key={userId}>
      {state === 'ended' ? (
        <Suspense fallback={null}>
          <SignInDialog />
        </Suspense>
      ) : null}
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
            <Route path="/wall">
              <ConsolesPage />
            </Route>
            <Route path="/account/*?">
              <AccountArea />
            </Route>
            <Route path="/store/*?">
              <StoreArea />
            </Route>
            <Route path="/billing/*?">
              <BillingArea />
            </Route>
            <Route path="/staff/*?">
              <StaffArea />
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
