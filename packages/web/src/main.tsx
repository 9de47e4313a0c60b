import './style/tokens.css';
import './style/base.css';
import './style/ui.css';
import './style/shell.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.js';
import { earlyAnswers, firstTokens } from './boot.js';
import { loadPage } from './app/pages.js';
import { applyStoredTheme } from './ui/theme.js';
import { I18nProvider } from './i18n/i18n.js';
import { createApi } from './api/api.js';
import { RereadingQueryClient } from './api/query-client.js';
import { ApiProvider } from './api/context.js';
import type { FirstRead } from './api/first-reads.js';
import { BrowserSession } from './api/session.js';
import { ToastProvider } from './ui/toasts.js';

applyStoredTheme();
const root = document.getElementById('root');
if (!root) throw new Error('the page has no root');

const session = new BrowserSession();
const api = createApi(session);
const queries = new RereadingQueryClient({
  defaultOptions: { queries: { staleTime: 10_000, refetchOnWindowFocus: true } },
});
// Data belongs to one user.
session.subscribe(() => {
  if (session.state === 'signed-out') queries.clear();
});
void firstTokens.then(
  (tokens) => {
    if (tokens) for (const { first, answer } of earlyAnswers) readEarly(first, answer);
  },
  () => undefined,
);
void loadPage(location.pathname).then(async () => session.restore(firstTokens));

function readEarly(
  { key, read, pick }: FirstRead<unknown>,
  answer: Promise<{ data: unknown } | null | undefined>,
): void {
  const queryFn = async (): Promise<unknown> => {
    const body = await answer;
    return body ? pick(body) : api.call(read);
  };
  void queries.prefetchQuery({ queryKey: key, queryFn });
}

createRoot(root).render(
  <QueryClientProvider client={queries}>
    <I18nProvider>
      <ApiProvider api={api}>
        <ToastProvider>
          <App />
        </ToastProvider>
      </ApiProvider>
    </I18nProvider>
  </QueryClientProvider>,
);
