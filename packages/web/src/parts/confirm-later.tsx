import { type ComponentProps, lazy, Suspense } from 'react';

const Confirm = lazy(async () => ({ default: (await import('./confirm.js')).Confirm }));

/** Confirm, loaded when somebody is asked: for pages that have to be small. */
export function ConfirmLater(props: ComponentProps<typeof Confirm>) {
  return (
    <Suspense fallback={null}>
      <Confirm {...props} />
    </Suspense>
  );
}
