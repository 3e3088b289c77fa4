// What the kernel was asked for and keeps, as it was read back before the command began.
function isEmpty(receipt: unknown): boolean {
  return receipt === null || receipt === undefined || (typeof receipt === "object" && Object.keys(receipt).length === 0);
}

export function Receipt({ receipt }: { receipt: unknown }) {
  if (isEmpty(receipt)) return null;
  return (
    <details class="receipt">
      <summary>Receipt: what the kernel keeps</summary>
      <pre tabIndex={0}>{typeof receipt === "string" ? receipt : JSON.stringify(receipt, null, 2)}</pre>
    </details>
  );
}
