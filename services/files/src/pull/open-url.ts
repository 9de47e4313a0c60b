import { once } from 'node:events';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isAppError } from '@panel/kit/errors';
import contentDisposition from 'content-disposition';
import { fail } from '../reasons.js';
import { publicLookup, requirePublicHost } from './public-address.js';

const maxRedirects = 5;
const idleTimeoutMs = 30_000;
/** Until the final status of an answer, interim answers included. */
const answerTimeoutMs = 60_000;
/** Like `103 Early Hints`: a server could send them for ever. */
const maxInterimAnswers = 10;

interface OpenedUrl {
  /** After redirects. */
  readonly url: URL;
  /** By the Content-Disposition of the answer; empty without one. */
  readonly fileName: string;
  /** 0: unknown. */
  readonly sizeBytes: number;
  readonly content: AsyncIterable<Buffer>;
  close(): void;
}

/** Checks each redirect too. Throws URL_REFUSED, DOWNLOAD_FAILED (with `status`), and the reason of `signal`. */
export async function openUrl(
  start: URL,
  { allowsPrivate, signal }: { readonly allowsPrivate: boolean; readonly signal: AbortSignal },
): Promise<OpenedUrl> {
  let url = start;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    requireHttp(url);
    if (!allowsPrivate) requirePublicHost(url.hostname);
    const response = await send(url, allowsPrivate, signal);
    const { statusCode = 0, headers } = response;
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
      response.destroy();
      url = resolveRedirect(headers.location, url);
      continue;
    }
    if (statusCode !== 200) {
      response.destroy();
      throw fail('DOWNLOAD_FAILED', `the server answered with status ${statusCode}`, { status: statusCode });
    }
    const length = Number(headers['content-length'] ?? 0);
    return {
      url,
      fileName: fileNameIn(headers['content-disposition']),
      sizeBytes: Number.isSafeInteger(length) && length >= 0 ? length : 0,
      content: contentOf(response, signal),
      close: () => response.destroy(),
    };
  }
  throw fail('DOWNLOAD_FAILED', 'the URL redirects too often');
}

/** Without directories, as browsers take it. */
function fileNameIn(header: string | undefined): string {
  try {
    const name = header === undefined ? '' : (contentDisposition.parse(header).parameters['filename'] ?? '');
    return name.replace(/^.*[/\\]/s, '');
  } catch (error) {
    if (error instanceof TypeError) return '';
    throw error;
  }
}

function requireHttp({ protocol, username, password }: URL): void {
  if (protocol !== 'http:' && protocol !== 'https:')
    throw fail('URL_REFUSED', 'only http and https URLs are downloaded');
  if (username !== '' || password !== '') throw fail('URL_REFUSED', 'the URL must not hold credentials');
}

function resolveRedirect(location: string, base: URL): URL {
  if (!URL.canParse(location, base.href)) throw fail('DOWNLOAD_FAILED', 'the server redirects to no URL');
  return new URL(location, base.href);
}

async function send(url: URL, allowsPrivate: boolean, signal: AbortSignal): Promise<IncomingMessage> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const request = send(url, {
    signal,
    timeout: idleTimeoutMs,
    agent: false,
    headers: { 'User-Agent': 'panel', 'Accept-Encoding': 'identity' },
    ...(allowsPrivate ? {} : { lookup: publicLookup }),
  });
  request.once('timeout', () => request.destroy(new Error('timeout')));
  const deadline = setTimeout(() => request.destroy(new Error('no answer in time')), answerTimeoutMs);
  let interimAnswers = 0;
  request.on('information', () => {
    interimAnswers += 1;
    if (interimAnswers > maxInterimAnswers) request.destroy(new Error('too many interim answers'));
  });
  // after a protocol switch there is neither a response nor an error
  const closed = new AbortController();
  request.once('close', () => closed.abort());
  request.end();
  try {
    const [response] = (await once(request, 'response', { signal: closed.signal })) as [IncomingMessage];
    return response;
  } catch (error) {
    throw failureOf(error, signal);
  } finally {
    clearTimeout(deadline);
  }
}

async function* contentOf(response: IncomingMessage, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of response) yield chunk as Buffer;
    // an aborted body may end without an error
    if (!response.complete) throw fail('DOWNLOAD_FAILED', 'the server closed the connection too early');
  } catch (error) {
    throw failureOf(error, signal);
  }
}

/** Hides network errors from the caller. */
function failureOf(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (isAppError(error)) return error;
  return fail('DOWNLOAD_FAILED', 'the server cannot be reached, or closed the connection', {}, { cause: error });
}
