import { useMemo } from "react";
import { encode } from "uqr";

/** Drawn here: the secret in it goes nowhere. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => {
    const code = encode(text, { border: 2, ecc: "M" });
    const cells = code.data.flatMap((row, y) => row.flatMap((isSet, x) => (isSet ? [`M${x} ${y}h1v1h-1z`] : [])));
    return { size: code.size, path: cells.join("") };
  }, [text]);
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      width={192}
      height={192}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" rx="1" />
      <path d={path} fill="#0b1312" />
    </svg>
  );
}
