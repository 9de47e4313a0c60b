import type { LocationOf } from '../declaration/location.js';
import type { Route } from '../declaration/route.js';

type Data = Readonly<Record<string, unknown>>;

const api = '/api/v1';
const files = `${api}/servers/{id}/files`;

/** Created elsewhere than below the request's path. */
const elsewhere: Readonly<Record<string, (data: Data, requestPath: string) => string | null>> = {
  [`${api}/admin/nests/{id}/eggs`]: ({ id }) => `${api}/admin/eggs/${text(id)}`,
  [`${api}/admin/eggs/import`]: ({ id }) => `${api}/admin/eggs/${text(id)}`,
  [`${api}/store/checkout`]: ({ order }) => `${api}/billing/orders/${idOf(order)}`,
  [`${api}/billing/credits`]: ({ invoice }) => `${api}/billing/invoices/${idOf(invoice)}`,
  [`${api}/billing/gift-codes/redeem`]: () => `${api}/billing/credits`,
  [`${api}/admin/billing/gift-codes`]: ({ gift_codes: codes }) => {
    const [first, ...others] = codes as readonly Data[];
    return `${api}/admin/billing/gift-codes${others.length > 0 ? '' : `/${idOf(first)}`}`;
  },
  [`${api}/admin/billing/invoices/{id}/refund`]: ({ invoice, credit_note: note }) =>
    `${api}/billing/invoices/${idOf(note ?? invoice)}`,
  [`${files}/create-directory`]: ({ path }, at) => sibling(at, `list?directory=${encodeURIComponent(text(path))}`),
  [`${files}/copy`]: ({ path }, at) => sibling(at, `contents?path=${encodeURIComponent(text(path))}`),
  [`${files}/compress`]: ({ id }, at) => sibling(at, `operations/${text(id)}`),
  [`${files}/decompress`]: ({ id }, at) => sibling(at, `operations/${text(id)}`),
  [`${files}/pull`]: ({ id }, at) => sibling(at, `operations/${text(id)}`),
};

/** Without an address of its own a resource is read in its list. */
export function locationOf(route: Route, routes: readonly Route[]): LocationOf {
  const special = elsewhere[route.path];
  const isGet = (path: RegExp | string) =>
    routes.some(
      ({ method, path: each }) => method === 'GET' && (typeof path === 'string' ? path === each : path.test(each)),
    );
  const below = new RegExp(`^${route.path.replace(/[{}]/g, '\\$&')}/\\{[^/]+\\}$`);
  const hasOwn = isGet(below);
  const hasList = isGet(route.path);
  return (data, requestPath) => {
    if (special) return special(data as Data, requestPath);
    if (hasOwn) return `${requestPath}/${idOf(data)}`;
    return hasList ? requestPath : null;
  };
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('a created resource has no address');
  return value;
}

function idOf(value: unknown): string {
  return text((value as Data)['id']);
}

function sibling(requestPath: string, name: string): string {
  return `${requestPath.slice(0, requestPath.lastIndexOf('/'))}/${name}`;
}
