/** A bucket that speaks as much of S3 as files need. */
export function startBucket() {
  const objects = new Map<string, Uint8Array>();
  const uploads = new Map<string, Map<number, Uint8Array>>();
  let parts = 0;
  const xml = (body: string) =>
    new Response(`<?xml version="1.0" encoding="UTF-8"?>${body}`, { headers: { "content-type": "application/xml" } });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (!request.headers.get("authorization")?.startsWith("AWS4-HMAC-SHA256"))
        return new Response("", { status: 403 });
      const { pathname, searchParams } = new URL(request.url);
      const key = decodeURIComponent(pathname.replace(/^\/files\/?/, ""));
      const upload = searchParams.get("uploadId");
      if (request.method === "POST" && searchParams.has("uploads")) {
        const id = crypto.randomUUID();
        uploads.set(id, new Map());
        return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
      }
      if (request.method === "PUT" && upload !== null) {
        parts++;
        uploads.get(upload)?.set(Number(searchParams.get("partNumber")), await request.bytes());
        return new Response("", { headers: { etag: `"${parts}"` } });
      }
      if (request.method === "POST" && upload !== null) {
        const made = [...(uploads.get(upload) ?? [])].sort(([a], [b]) => a - b).map(([, bytes]) => bytes);
        objects.set(key, Buffer.concat(made));
        return xml("<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>");
      }
      if (request.method === "PUT") {
        objects.set(key, await request.bytes());
        return new Response("", { headers: { etag: '"x"' } });
      }
      if (request.method === "DELETE") {
        objects.delete(key);
        return new Response(null, { status: 204 });
      }
      if (key === "") {
        const prefix = searchParams.get("prefix") ?? "";
        const listed = [...objects.keys()].filter((name) => name.startsWith(prefix)).sort();
        const rows = listed.map(
          (name) =>
            `<Contents><Key>${name}</Key><LastModified>2020-01-01T00:00:00.000Z</LastModified><Size>1</Size></Contents>`,
        );
        return xml(`<ListBucketResult><IsTruncated>false</IsTruncated>${rows.join("")}</ListBucketResult>`);
      }
      const found = objects.get(key);
      if (!found) return new Response("<Error><Code>NoSuchKey</Code></Error>", { status: 404 });
      return new Response(request.method === "HEAD" ? null : found, {
        headers: { "content-length": String(found.length) },
      });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    objects,
    get parts() {
      return parts;
    },
    stop: () => void server.stop(true),
  };
}
