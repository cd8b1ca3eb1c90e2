/*
 * canvas.c - see canvas.h. Letters come from SDL_ttf once, as masks, and are drawn from there.
 */
#include "canvas.h"

#include <SDL.h>
#include <SDL_ttf.h>
#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "base/alloc.h"

enum { LETTERS = 0x180, ELLIPSIS = 0x2026 };

struct letter {
    uint8_t *mask; /* NULL: none was made yet */
    int w, h, advance;
};

struct face {
    TTF_Font *ttf;
    struct letter letter[LETTERS], ellipsis;
    int height;
};

struct fonts {
    struct face face[FONT_COUNT];
};

/* ---- fonts ---- */

/* Where Debian, Fedora, Arch and macOS have them. */
static const char *const text_fonts[] = {
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
    "/usr/share/fonts/TTF/DejaVuSans.ttf",
    "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf",
    "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf",
    "/usr/share/fonts/truetype/liberation2/LiberationSans-Regular.ttf",
    "/Library/Fonts/Arial.ttf",
};
static const char *const bold_fonts[] = {
    "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf",
    "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans-Bold.ttf",
    "/usr/share/fonts/TTF/DejaVuSans-Bold.ttf",
    "/usr/share/fonts/truetype/liberation/LiberationSans-Bold.ttf",
};
static const char *const code_fonts[] = {
    "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf",
    "/usr/share/fonts/dejavu-sans-mono-fonts/DejaVuSansMono.ttf",
    "/usr/share/fonts/TTF/DejaVuSansMono.ttf",
    "/usr/share/fonts/truetype/noto/NotoSansMono-Regular.ttf",
    "/usr/share/fonts/truetype/liberation/LiberationMono-Regular.ttf",
};

static const char *first_there(const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!access(list[i], R_OK))
            return list[i];
    return NULL;
}

enum exit_status fonts_open(const char *path, double scale, const struct diag *d,
                            struct fonts **out)
{
    static const int sizes[FONT_COUNT] = {13, 13, 11, 12, 15};
    const char *text = path ? path : first_there(text_fonts, ARRAY_LEN(text_fonts));
    const char *bold = path ? path : first_there(bold_fonts, ARRAY_LEN(bold_fonts));
    const char *code = path ? path : first_there(code_fonts, ARRAY_LEN(code_fonts));
    const char *paths[FONT_COUNT] = {text, bold, text, code, bold};
    struct fonts *f;

    if (!text) {
        diag_error(d, "no font; install fonts-dejavu-core, or give --font FILE");
        return EXIT_NO_FILE;
    }
    if (!TTF_WasInit() && TTF_Init()) {
        diag_error(d, "SDL_ttf: %s", TTF_GetError());
        return EXIT_IO;
    }
    f = xcalloc(1, sizeof *f);
    for (unsigned i = 0; i < FONT_COUNT; i++) {
        const char *file = paths[i] ? paths[i] : text;

        f->face[i].ttf = TTF_OpenFont(file, (int)(sizes[i] * scale + 0.5));
        if (!f->face[i].ttf) {
            diag_error(d, "%s: %s", file, TTF_GetError());
            fonts_close(f);
            return EXIT_BAD_FILE;
        }
        TTF_SetFontHinting(f->face[i].ttf, TTF_HINTING_LIGHT);
        f->face[i].height = TTF_FontHeight(f->face[i].ttf);
    }
    *out = f;
    return EXIT_PASS;
}

void fonts_close(struct fonts *f)
{
    for (unsigned i = 0; f && i < FONT_COUNT; i++) {
        for (unsigned l = 0; l < LETTERS; l++)
            free(f->face[i].letter[l].mask);
        free(f->face[i].ellipsis.mask);
        if (f->face[i].ttf)
            TTF_CloseFont(f->face[i].ttf);
    }
    free(f);
}

static void make_letter(struct face *f, struct letter *l, uint32_t code)
{
    SDL_Surface *s = TTF_RenderGlyph32_Blended(f->ttf, code, (SDL_Color){255, 255, 255, 255});
    int advance = 0;

    TTF_GlyphMetrics32(f->ttf, code, NULL, NULL, NULL, NULL, &advance);
    l->advance = advance;
    l->mask = xcalloc(1, 1);
    if (!s)
        return;
    l->w = s->w;
    l->h = s->h;
    free(l->mask);
    l->mask = xcalloc((size_t)s->w * (size_t)s->h + 1, 1);
    for (int y = 0; y < s->h; y++)
        for (int x = 0; x < s->w; x++)
            l->mask[y * s->w + x] =
                (uint8_t)(((uint32_t *)s->pixels)[y * (s->pitch / 4) + x] >> 24);
    SDL_FreeSurface(s);
}

static struct letter *letter_of(struct face *f, uint32_t code)
{
    struct letter *l = code == ELLIPSIS ? &f->ellipsis : &f->letter[code < LETTERS ? code : '?'];

    if (!l->mask)
        make_letter(f, l, code == ELLIPSIS || code < LETTERS ? code : '?');
    return l;
}

/* The next letter of a UTF-8 text; what is not UTF-8 is a `?'. */
static uint32_t next_code(const char **text)
{
    const unsigned char *t = (const unsigned char *)*text;
    unsigned more = t[0] >= 0xf0 ? 3 : t[0] >= 0xe0 ? 2 : t[0] >= 0xc0 ? 1 : 0;
    uint32_t code = t[0];

    if (more)
        code = t[0] & (0x3fU >> more);
    else if (code >= 0x80 || code < 0x20)
        code = '?';
    (*text)++;
    for (unsigned i = 1; i <= more; i++) {
        if ((t[i] & 0xc0) != 0x80)
            return '?';
        code = code << 6 | (t[i] & 0x3f);
        (*text)++;
    }
    return code;
}

/* ---- pixels ---- */

void canvas_resize(struct canvas *c, int width, int height)
{
    c->pixels = xrealloc(c->pixels, (size_t)width * (size_t)height * sizeof *c->pixels);
    c->width = width;
    c->height = height;
    c->clip = (struct rect){0, 0, width, height};
}

void canvas_free(struct canvas *c)
{
    free(c->pixels);
    c->pixels = NULL;
}

static struct rect cut(struct rect r, struct rect by)
{
    int right = r.x + r.w < by.x + by.w ? r.x + r.w : by.x + by.w;
    int bottom = r.y + r.h < by.y + by.h ? r.y + r.h : by.y + by.h;

    r.x = r.x > by.x ? r.x : by.x;
    r.y = r.y > by.y ? r.y : by.y;
    r.w = right > r.x ? right - r.x : 0;
    r.h = bottom > r.y ? bottom - r.y : 0;
    return r;
}

struct rect canvas_clip(struct canvas *c, struct rect r)
{
    struct rect former = c->clip;

    c->clip = cut(r, (struct rect){0, 0, c->width, c->height});
    return former;
}

static uint32_t *at(const struct canvas *c, int x, int y)
{
    return &c->pixels[(size_t)y * (size_t)c->width + (size_t)x];
}

void canvas_fill(struct canvas *c, struct rect r, colour col)
{
    const uint32_t pixel = 0xff000000 | col;

    r = cut(r, c->clip);
    for (int y = 0; y < r.h; y++) /* wchar_t is as wide as a pixel, and this has wide stores */
        wmemset((wchar_t *)at(c, r.x, r.y + y), (wchar_t)pixel, (size_t)(r.w > 0 ? r.w : 0));
}

static uint32_t over(uint32_t below, colour col, unsigned alpha)
{
    uint32_t a = alpha + (alpha >> 7), b = 256 - a;
    uint32_t rb = ((col & 0xff00ff) * a + (below & 0xff00ff) * b) >> 8 & 0xff00ff;
    uint32_t g = ((col & 0xff00) * a + (below & 0xff00) * b) >> 8 & 0xff00;

    return 0xff000000 | rb | g;
}

void canvas_blend(struct canvas *c, struct rect r, colour col, unsigned alpha)
{
    r = cut(r, c->clip);
    for (int y = 0; y < r.h; y++) {
        uint32_t *p = at(c, r.x, r.y + y);

        for (int x = 0; x < r.w; x++)
            p[x] = over(p[x], col, alpha);
    }
}

/* Cuts the part of a line with p in [low, high]: from and to are parts of its length. */
static void cut_line(double p0, double p1, double low, double high, double *from, double *to)
{
    double d = p1 - p0, first, last;

    if (d == 0) {
        *to = p0 < low || p0 > high ? -1 : *to;
        return;
    }
    first = ((d > 0 ? low : high) - p0) / d;
    last = ((d > 0 ? high : low) - p0) / d;
    *from = first > *from ? first : *from;
    *to = last < *to ? last : *to;
}

void canvas_line(struct canvas *c, double x0, double y0, double x1, double y1, colour col,
                 unsigned alpha)
{
    double from = 0, to = 1, dx = x1 - x0, dy = y1 - y0;
    double wide = dx < 0 ? -dx : dx, high = dy < 0 ? -dy : dy, length = wide > high ? wide : high;

    cut_line(x0, x1, c->clip.x, c->clip.x + c->clip.w, &from, &to);
    cut_line(y0, y1, c->clip.y, c->clip.y + c->clip.h, &from, &to);
    for (double i = from * length; from < to && i <= to * length; i++)
        canvas_blend(c,
                     (struct rect){(int)(x0 + dx * i / length), (int)(y0 + dy * i / length), 1, 1},
                     col, alpha);
}

void canvas_frame(struct canvas *c, struct rect r, colour col)
{
    canvas_fill(c, (struct rect){r.x, r.y, r.w, 1}, col);
    canvas_fill(c, (struct rect){r.x, r.y + r.h - 1, r.w, 1}, col);
    canvas_fill(c, (struct rect){r.x, r.y, 1, r.h}, col);
    canvas_fill(c, (struct rect){r.x + r.w - 1, r.y, 1, r.h}, col);
}

void canvas_take(const struct canvas *c, struct rect r, uint32_t *pixels)
{
    for (int y = 0; y < r.h; y++)
        memcpy(pixels + (size_t)y * (size_t)r.w, at(c, r.x, r.y + y), (size_t)r.w * sizeof *pixels);
}

void canvas_put(struct canvas *c, struct rect r, const uint32_t *pixels)
{
    for (int y = 0; y < r.h; y++)
        memcpy(at(c, r.x, r.y + y), pixels + (size_t)y * (size_t)r.w, (size_t)r.w * sizeof *pixels);
}

void canvas_hatch(struct canvas *c, struct rect r, colour col)
{
    enum { STEP = 8 };

    r = cut(r, c->clip);
    for (int y = 0; y < r.h; y++)
        for (int x = (STEP - (r.x + r.y + y) % STEP) % STEP; x < r.w; x += STEP)
            *at(c, r.x + x, r.y + y) = 0xff000000 | col;
}

void canvas_triangle(struct canvas *c, int x, int y, int half, int h, colour col)
{
    int rows = h < 0 ? -h : h;

    for (int i = 0; i < rows; i++) {
        int w = half * i / rows;

        canvas_fill(c, (struct rect){x - w, h < 0 ? y - i : y + i, 2 * w + 1, 1}, col);
    }
}

void canvas_diamond(struct canvas *c, int x, int y, int half, colour col)
{
    for (int i = -half; i <= half; i++) {
        int w = half - (i < 0 ? -i : i);

        canvas_fill(c, (struct rect){x - w, y + i, 2 * w + 1, 1}, col);
    }
}

static void put_letter(struct canvas *c, const struct letter *l, int x, int y, colour col)
{
    struct rect r = cut((struct rect){x, y, l->w, l->h}, c->clip);

    for (int j = 0; j < r.h; j++) {
        const uint8_t *mask = &l->mask[(r.y - y + j) * l->w + (r.x - x)];
        uint32_t *p = at(c, r.x, r.y + j);

        for (int i = 0; i < r.w; i++)
            if (mask[i])
                p[i] = over(p[i], col, mask[i]);
    }
}

int canvas_text_width(const struct canvas *c, enum font font, const char *text)
{
    struct face *f = &c->fonts->face[font];
    int width = 0;

    while (*text)
        width += letter_of(f, next_code(&text))->advance;
    return width;
}

int canvas_line_height(const struct canvas *c, enum font font)
{
    return c->fonts->face[font].height;
}

int canvas_text(struct canvas *c, enum font font, int x, int y, int width, colour col,
                const char *text)
{
    struct face *f = &c->fonts->face[font];
    const struct letter *dots = letter_of(f, ELLIPSIS);
    bool is_cut = canvas_text_width(c, font, text) > width;
    int end = x + width - (is_cut ? dots->advance : 0), start = x;

    if (is_cut && width < dots->advance + letter_of(f, 'n')->advance)
        return 0;
    while (*text) {
        const struct letter *l = letter_of(f, next_code(&text));

        if (x + l->advance > end)
            break;
        put_letter(c, l, x, y, col);
        x += l->advance;
    }
    if (is_cut) {
        put_letter(c, dots, x, y, col);
        x += dots->advance;
    }
    return x - start;
}

int canvas_text_right(struct canvas *c, enum font font, int right, int y, colour col,
                      const char *text)
{
    int w = canvas_text_width(c, font, text);

    canvas_text(c, font, right - w, y, w, col, text);
    return w;
}

enum exit_status canvas_write_png(const struct canvas *c, const char *path, const struct diag *d)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)c->width,
                       .height = (png_uint_32)c->height,
                       .format = PNG_FORMAT_RGB};
    uint8_t *bytes = xmalloc((size_t)c->width * (size_t)c->height * 3);
    bool done;

    for (size_t i = 0; i < (size_t)c->width * (size_t)c->height; i++) {
        bytes[i * 3] = (uint8_t)(c->pixels[i] >> 16);
        bytes[i * 3 + 1] = (uint8_t)(c->pixels[i] >> 8);
        bytes[i * 3 + 2] = (uint8_t)c->pixels[i];
    }
    done = png_image_write_to_file(&image, path, 0, bytes, 0, NULL);
    if (!done)
        diag_error(d, "%s: %s", path, errno ? strerror(errno) : image.message);
    free(bytes);
    return done ? EXIT_PASS : EXIT_IO;
}
