import { describe, expect, it } from "vitest";
import { decode, DocumentError, fromColumns, loadFrom, splitColumns } from "../src/document";
import { encodeColumns, fixture } from "./fixture";

describe("decode", () => {
  it("gives back every column as it was written", async () => {
    const { header, columns } = fixture("following");
    columns.push(new Float32Array([1, Number.NaN, -2.5]), new Float64Array(0), new Uint8Array([0, 255, 7]));
    header.columns.push({ type: "f32", length: 3 }, { type: "f64", length: 0 }, { type: "u8", length: 3 });
    const loaded = await decode(JSON.stringify(header), await encodeColumns(columns));
    columns.forEach((column, i) => expect(loaded.column(i)).toEqual(column));
    expect(loaded.header.title).toBe(header.title);
  });

  it("makes evenly spaced times without a column, once", () => {
    const { header, columns } = fixture();
    const loaded = fromColumns(header, columns);
    const times = loaded.column({ start: 1, step: 0.25, count: 3 });
    expect([...times]).toEqual([1, 1.25, 1.5]);
    expect(loaded.column({ start: 1, step: 0.25, count: 3 })).toBe(times);
  });

  it("reads a document without data", async () => {
    const { header } = fixture();
    header.columns = [];
    expect((await decode(JSON.stringify(header), "\n")).header.kind).toBe("following");
  });

  it.each([
    ["no JSON", "{", "", /damaged/],
    ["no object", "null", "", /format 1/],
    ["another format", '{"format": 2}', "", /format 2/],
    ["lists that are missing", '{"format": 1}', "", /motions/],
  ])("refuses %s", async (_, header, data, message) => {
    await expect(decode(header, data)).rejects.toThrow(message);
    await expect(decode(header, data)).rejects.toBeInstanceOf(DocumentError);
  });

  it("refuses data that are cut off, not deflated or not base64", async () => {
    const { header, columns } = fixture();
    const text = JSON.stringify(header);
    await expect(decode(text, await encodeColumns(columns.slice(1)))).rejects.toThrow(/bytes/);
    await expect(decode(text, "AAAA")).rejects.toThrow(/inflated/);
    await expect(decode(text, "%%")).rejects.toThrow(/damaged/);
  });

  it("refuses a column that is not there", () => {
    const { header } = fixture();
    expect(() => fromColumns(header, []).column(3)).toThrow(/column 3/);
  });
});

describe("loadFrom", () => {
  it("finds header and data in a page", async () => {
    const { header, columns } = fixture("plan");
    const texts: Record<string, string> = {
      "script.ulna-document": JSON.stringify(header),
      "script.ulna-data": await encodeColumns(columns),
    };
    const root = { querySelector: (selector: string) => ({ textContent: texts[selector] }) };
    expect((await loadFrom(root as unknown as ParentNode)).header.kind).toBe("plan");
  });

  it("says that a page without a document is none of ours", async () => {
    const root = { querySelector: () => null } as unknown as ParentNode;
    await expect(loadFrom(root)).rejects.toThrow(/no report of ulna/);
  });
});

it("undoes the shuffling of bytes", () => {
  // 1.0f is 00 00 80 3f, 2.0f is 00 00 00 40: first bytes first
  const bytes = new Uint8Array([0, 0, 0, 0, 0x80, 0, 0x3f, 0x40]);
  expect([...(splitColumns(bytes, [{ type: "f32", length: 2 }])[0] ?? [])]).toEqual([1, 2]);
});
