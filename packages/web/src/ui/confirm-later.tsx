import { type ComponentProps, lazy, type ReactNode, Suspense, useState } from 'react';

const Confirm = lazy(async () => ({ default: (await import('./confirm.js')).Confirm }));

/** Confirm, lazily loaded, for pages with a small bundle. */
export function ConfirmLater(props: ComponentProps<typeof Confirm>) {
  return (
    <Suspense fallback={null}>
      <Confirm {...props} />
    </Suspense>
  );
}

type Question = Omit<ComponentProps<typeof Confirm>, 'onClose'>;

/** Confirms irreversible actions; render `dialog`. */
export function useConfirm(): { readonly confirm: (question: Question) => void; readonly dialog: ReactNode } {
  const [question, setQuestion] = useState<Question | null>(null);
  return {
    confirm: setQuestion,
    dialog: question ? <ConfirmLater {...question} onClose={() => setQuestion(null)} /> : null,
  };
}
