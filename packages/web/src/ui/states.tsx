import { CircleAlert, Inbox } from 'lucide-react';
import type { ReactNode } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import { type I18n, useI18n } from '../i18n/i18n.js';
import { ApiError } from '../api/errors.js';
import { Button } from './button.js';

/** A localized error. */
export function errorText(error: unknown, { t, maybe }: Pick<I18n, 't' | 'maybe'>): string {
  if (error instanceof ApiError) {
    const { reason } = error.details;
    const known = typeof reason === 'string' ? maybe(`reason.${reason}`, '') : '';
    const fields = Object.entries(error.fields).map(([field, messages]) => `${field}: ${messages.join(' ')}`);
    if (known !== '') return known;
    if (fields.length > 0) return fields.join(' ');
    return maybe(`error.${error.code}`, error.message.replace(/^\d+ \w+: /, ''));
  }
  return t('error.no-answer');
}

export function ErrorNote({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const i18n = useI18n();
  const detail = error instanceof ApiError ? error.message.replace(/^\d+ \w+: /, '') : '';
  const text = errorText(error, i18n);
  return (
    <div className="note" data-kind="error" role="alert">
      <CircleAlert aria-hidden />
      <div>
        <p>{text}</p>
        {detail !== '' && detail !== text ? <p className="faint">{detail}</p> : null}
        {error instanceof ApiError && error.requestId !== null ? (
          <p className="faint">
            {i18n.t('error.request-id')} <code>{error.requestId}</code>
          </p>
        ) : null}
        {onRetry ? <Button onClick={onRetry}>{i18n.t('action.retry')}</Button> : null}
      </div>
    </div>
  );
}

export function Note({
  kind = 'info',
  children,
}: {
  readonly kind?: 'info' | 'warning';
  readonly children: ReactNode;
}) {
  return (
    <div className="note" data-kind={kind}>
      <div>{children}</div>
    </div>
  );
}

export function Empty({ text, children }: { readonly text: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <Inbox aria-hidden />
      <p>{text}</p>
      {children}
    </div>
  );
}

export function Skeleton({ rows = 3 }: { readonly rows?: number }) {
  const { t } = useI18n();
  return (
    <div className="skeletons" role="status" aria-label={t('state.loading')}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="skeleton" />
      ))}
    </div>
  );
}

/** A query's data, or its state until then. */
export function Loaded<T>({
  query,
  rows,
  children,
}: {
  readonly query: UseQueryResult<T>;
  readonly rows?: number;
  readonly children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ErrorNote error={query.error} onRetry={() => void query.refetch()} />;
  return <Skeleton {...(rows === undefined ? {} : { rows })} />;
}
