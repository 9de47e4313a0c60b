import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface PageProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly back?: { readonly to: string; readonly label: string };
  readonly children: ReactNode;
}

/** Its heading takes the focus on navigation. */
export function Page({ title, actions, back, children }: PageProps) {
  return (
    <main className="page" id="main" tabIndex={-1}>
      <title>{title}</title>
      <header className="page-head">
        <div>
          {back ? (
            <Link to={back.to} className="back">
              ‹ {back.label}
            </Link>
          ) : null}
          <h1 dir="auto">{title}</h1>
        </div>
        {actions ? <div className="page-actions">{actions}</div> : null}
      </header>
      {children}
    </main>
  );
}

export function Card({
  title,
  actions,
  children,
}: {
  readonly title?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className="card">
      {title !== undefined || actions ? (
        <header className="card-head">
          {title === undefined ? null : <h2>{title}</h2>}
          {actions}
        </header>
      ) : null}
      {children}
    </section>
  );
}

/** Reserves the space below a loading part. */
export function Below({ isReady, children }: { readonly isReady: boolean; readonly children: ReactNode }) {
  return (
    <div className="stack" hidden={!isReady}>
      {children}
    </div>
  );
}

export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
