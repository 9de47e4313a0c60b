import { CircleAlert, Inbox } from 'lucide-react';
import type { ReactNode } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import { type I18n, useI18n } from '../i18n/i18n.js';
import { ApiError, isTooLargeForProxy, refusedBytes, smallRequestBytes } from '../api/errors.js';
import { Button } from './button.js';

/** A localized error; unknown ones in the panel's words. */
export function errorText(error: unknown, i18n: Pick<I18n, 't' | 'maybe' | 'locale' | 'bytes'>): string {
  if (!(error instanceof ApiError)) return i18n.t('error.no-answer');
  const { maybe } = i18n;
  if (isTooLargeForProxy(error)) return proxyLimitText(refusedBytes(error), i18n);
  const { reason, limit } = error.details;
  const known = typeof reason === 'string' ? maybe(`reason.${reason}`, '') : '';
  if (known !== '') return known;
  const exhausted = error.status === 429 && typeof limit === 'string' ? maybe(`exhausted.${limit}`, '') : '';
  if (exhausted !== '') return exhausted;
  const fields = Object.entries(fieldTexts(error, i18n)).map(([field, texts]) => `${field}: ${texts.join(' ')}`);
  if (fields.length > 0) return fields.join(' ');
  return maybe(`error.${error.code}`, error.message.replace(/^\d+ \w+: /, ''));
}

function proxyLimitText(requestBytes: number, { t, bytes }: Pick<I18n, 't' | 'bytes'>): string {
  if (requestBytes <= smallRequestBytes) return t('error.proxy-limit');
  return t('error.proxy-limit-size', { size: bytes(requestBytes) });
}

/** Reasons that say all; others need the panel's words for what is expected. */
const wholeReasons = new Set([
  'required',
  'unknown_field',
  'not_found',
  'unchanged',
  'in_past',
  'wrong',
  'insufficient',
]);

/** What is wrong with each field, in the reader's language. */
export function fieldTexts(
  { fields, reasons }: ApiError,
  { t, maybe, locale }: Pick<I18n, 't' | 'maybe' | 'locale'>,
): Readonly<Record<string, readonly string[]>> {
  if (locale === 'en') return fields;
  const problemOf = (reason: string): string => maybe(`problem.${reason}`, '');
  const textOf = (message: string, reason: string | undefined): string => {
    // Of this page itself, which speaks the language.
    if (reason === undefined) return message;
    const problem = problemOf(reason) || problemOf('invalid');
    // The texts of errors come after the page.
    if (problem === '' || wholeReasons.has(reason)) return problem || message;
    return t('error.with-words', { problem, words: message });
  };
  return Object.fromEntries(
    Object.entries(fields).map(([field, messages]) => [
      field,
      messages.map((message, at) => textOf(message, reasons[field]?.[at])),
    ]),
  );
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
        {detail !== '' && detail !== text ? <PanelWords>{detail}</PanelWords> : null}
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

/** English of the panel, an engine or a host, behind a sentence in the reader's language. */
export function PanelWords({ children }: { readonly children: string }) {
  return (
    <p className="faint" dir="auto" lang="en">
      {children}
    </p>
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
